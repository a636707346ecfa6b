/** The chat-bot database with our verbs. The layout of its tables is configuration: we know of no document about it. */
import pg from 'pg';
import { z } from 'zod';
import { toE164 } from '../../values/phone-number.ts';
import type { SystemTools } from '../kit/context.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import type { ChatBotConfig } from './config.ts';
import { openForeignDatabase } from './database.ts';

const text = z
  .string()
  .nullable()
  .transform(value => value?.trim() || null);

const ChatBotUser = z.object({
  id: z.string(),
  crmId: z.coerce.number().int().nullable(),
  name: text,
  /** In lower case. */
  email: text.transform(value => value?.toLowerCase() ?? null),
  /** As it stands there. */
  phone: text,
  active: z.boolean(),
});
export type ChatBotUser = z.infer<typeof ChatBotUser>;

const Conversation = z.object({
  channel: z.string(),
  startedAt: z.date(),
  /** Null when nobody has written anything yet. */
  lastMessageAt: z.date().nullable(),
  messages: z.coerce.number().int(),
});
export type Conversation = z.infer<typeof Conversation>;

export type ChatBotUserKey = { crmId: number } | { email: string } | { phone: string };

const mostConversations = 200;
/** A number that is in two hundred rows is nobody's. */
const mostUsers = 200;

export type ChatBot = ReturnType<typeof openChatBot>;

export function openChatBot(config: ChatBotConfig, system: SystemName, tools: SystemTools) {
  const { CHATBOT_DATABASE_URL: readUrl, CHATBOT_TERMINATE_DATABASE_URL: writeUrl = readUrl } = config;
  if (readUrl === undefined || writeUrl === undefined)
    throw new Error('the chat-bot database has no address');
  const reading = openForeignDatabase(readUrl, system, tools.logger);
  const writing = writeUrl === readUrl ? reading : openForeignDatabase(writeUrl, system, tools.logger);
  const sql = statements(config);

  const read = <R extends z.ZodType>(row: R, statement: string, values: readonly (string | number)[]) =>
    tools.attempt('read', () =>
      reading.transact('read only', async client =>
        rowsOf(system, row, await client.query(statement, [...values])),
      ),
    );
  const user = async (id: string): Promise<ChatBotUser | undefined> =>
    (await read(ChatBotUser, sql.userById, [id]))[0];

  return {
    user,

    /** Reads no row, but finds out whether table and columns are there and may be read. */
    noUser: (): Promise<ChatBotUser[]> => read(ChatBotUser, sql.noUser, []),

    /** All that match, inactive ones too: an e-mail whatever its case, a phone however it is spelled. */
    async findUsers(key: ChatBotUserKey): Promise<ChatBotUser[]> {
      if ('crmId' in key) return await read(ChatBotUser, sql.usersByCrmId, [key.crmId]);
      if ('email' in key) return await read(ChatBotUser, sql.usersByEmail, [key.email.trim()]);
      const digits = key.phone.replace(/\D/g, '');
      if (digits === '') return [];
      const alike = await read(ChatBotUser, sql.usersByPhone, [digits]);
      return alike.filter(({ phone }) => isSameNumber(phone ?? '', key.phone));
    },

    /** The newest 200, newest first. */
    conversations: (userId: string): Promise<Conversation[]> =>
      read(Conversation, sql.conversations, [userId]),

    /**
     * May be repeated.
     * @returns the user as read afterwards, over the reading login; undefined when there is none
     */
    async deactivateUser(id: string): Promise<ChatBotUser | undefined> {
      await tools.attempt('set', () =>
        writing.transact('read write', client => client.query(sql.deactivate, [id])),
      );
      return await user(id);
    },
  };
}

/** @throws UpstreamError when the columns hold something else than they are said to */
function rowsOf<R extends z.ZodType>(
  { name, title }: SystemName,
  row: R,
  { rows }: pg.QueryResult,
): z.output<R>[] {
  const parsed = z.array(row).safeParse(rows);
  if (parsed.success) return parsed.data;
  throw new UpstreamError('upstream-failed', `${title} has rows that we do not understand.`, {
    system: name,
    passing: false,
    mayHaveRun: false,
    // Places only, not values: they may be a person's.
    message: z.prettifyError(parsed.error),
  });
}

/** Numbers that end alike may be of two countries; what is no number anywhere counts by its digits. */
function isSameNumber(kept: string, wanted: string): boolean {
  const [one, other] = [toE164(kept), toE164(wanted)];
  return one === undefined || other === undefined
    ? kept.replace(/\D/g, '') === wanted.replace(/\D/g, '')
    : one === other;
}

const quoted = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.');

function statements(config: ChatBotConfig) {
  const [id, crmId, email, phone, name, active] = config.CHATBOT_USER_COLUMNS.map(quoted);
  const [userId, channel, startedAt, lastMessageAt, messages] =
    config.CHATBOT_CONVERSATION_COLUMNS.map(quoted);
  const users = quoted(config.CHATBOT_USERS_TABLE);
  const usersWhere = (condition: string) =>
    `select ${id}::text as id, ${crmId} as "crmId", ${name} as name, ${email} as email, ${phone} as phone,
      ${active} as active from ${users} where ${condition} order by ${id} limit ${mostUsers}`;
  /** The digits without country and trunk prefix, whose spelling varies. */
  const lastDigits = (value: string | undefined) => `right(regexp_replace(${value}, '\\D', '', 'g'), 9)`;
  return {
    noUser: usersWhere('false'),
    userById: usersWhere(`${id} = $1`),
    usersByCrmId: usersWhere(`${crmId} = $1`),
    usersByEmail: usersWhere(`lower(trim(${email})) = lower($1)`),
    usersByPhone: usersWhere(`${lastDigits(phone)} = ${lastDigits('$1')}`),
    conversations: `select ${channel} as channel, ${startedAt}::timestamptz as "startedAt",
      ${lastMessageAt}::timestamptz as "lastMessageAt", ${messages} as messages
      from ${quoted(config.CHATBOT_CONVERSATIONS_TABLE)} where ${userId} = $1
      order by ${startedAt} desc limit ${mostConversations}`,
    deactivate: `update ${users} set ${active} = false where ${id} = $1`,
  };
}
