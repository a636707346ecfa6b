/** The chat-bot database: a PostgreSQL of another team. The layout of its tables is not documented, but configured. */
import pg from 'pg';
import { z } from 'zod';
import { type CheckFinding, warning } from '../../runtime/finding.ts';
import { toE164 } from '../../values/phone-number.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { everyRow, goodRows, rowsIn } from '../kit/read-rows.ts';
import { textOrNull } from '../kit/row.ts';
import type { SystemName } from '../kit/upstream-error.ts';
import { openVendorDatabase } from './database.ts';
import { proposeTables, readColumns, type TableColumn } from './propose-settings.ts';

const databaseAddress = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a postgres:// or postgresql:// address',
});

/** Optionally with a schema before a dot; the statements add the quotes. */
const tableName = (preset: string) =>
  z
    .string()
    .regex(/^[^.,"]+(\.[^.,"]+)?$/, 'must be the name of a table, such as bot.users')
    .default(preset);

/** The same number of names as the preset, in the same order. */
const columnNames = (...preset: readonly string[]) =>
  z
    .string()
    .default(preset.join())
    .transform(text => text.split(',').map(name => name.trim()))
    .refine(names => names.length === preset.length && names.every(Boolean), {
      error: `must be ${preset.length} names of columns, comma-separated`,
    });

export const ChatBotConfig = z.object({
  CHATBOT_DATABASE_URL: databaseAddress
    .optional()
    .describe('PostgreSQL of the chat bot, preferably with a read-only login; unset: not configured.'),
  CHATBOT_TERMINATE_DATABASE_URL: databaseAddress
    .optional()
    .describe('The same database with a login that may deactivate users; unset: CHATBOT_DATABASE_URL.'),
  CHATBOT_USERS_TABLE: tableName('users').describe('The chat bot’s table of users.'),
  CHATBOT_USER_COLUMNS: columnNames('id', 'crm_id', 'email', 'phone', 'name', 'active').describe(
    'Its columns for id, CRM id, e-mail, phone, name and whether the user is active, in this order.',
  ),
  CHATBOT_CONVERSATIONS_TABLE: tableName('conversations').describe('The chat bot’s table of conversations.'),
  CHATBOT_CONVERSATION_COLUMNS: columnNames(
    'user_id',
    'channel',
    'started_at',
    'last_message_at',
    'message_count',
  ).describe('Its columns for user id, channel, start, last message and number of messages, in this order.'),
});
export type ChatBotConfig = z.infer<typeof ChatBotConfig>;

const system = { name: 'chat-bot', title: 'The chat-bot database' };

export default defineSystem({
  ...system,
  config: ChatBotConfig,
  configuredBy: 'CHATBOT_DATABASE_URL',
  sandbox: (_, databaseUrl) =>
    databaseUrl === undefined ? {} : { CHATBOT_DATABASE_URL: sandboxDatabase(databaseUrl) },
  open: (config, tools) => openChatBot(config, system, tools),
  probe: chatBot => chatBot.checkAccess(),
  checkSettings: chatBot => chatBot.checkTerminations(),
  proposeSettings: chatBot => chatBot.proposeSettings(),
});

const ChatBotUser = z.object({
  id: z.string(),
  crmId: z.coerce.number().int().nullable(),
  name: textOrNull,
  /** Lower case. */
  email: textOrNull.transform(value => value?.toLowerCase() ?? null),
  /** As stored there, in any spelling. */
  phone: textOrNull,
  active: z.boolean(),
});
export type ChatBotUser = z.infer<typeof ChatBotUser>;

const Conversation = z.object({
  channel: z.string(),
  startedAt: z.date(),
  /** Null without messages. */
  lastMessageAt: z.date().nullable(),
  messages: z.coerce.number().int(),
});
export type Conversation = z.infer<typeof Conversation>;

const UserRows = rowsIn({ system, record: 'user', id: 'id' }, ChatBotUser);
/** Conversations have no id. */
const ConversationRows = rowsIn({ system, record: 'conversation', id: () => undefined }, Conversation);

export type ChatBotUserKey = { crmId: number } | { email: string } | { phone: string };

const maxConversations = 200;
/** A number in 200 rows belongs to no single person. */
const maxUsers = 200;

export type ChatBot = ReturnType<typeof openChatBot>;

export function openChatBot(config: ChatBotConfig, name: SystemName, tools: SystemTools) {
  const { CHATBOT_DATABASE_URL: readUrl, CHATBOT_TERMINATE_DATABASE_URL: writeUrl } = config;
  if (readUrl === undefined) throw new Error('CHATBOT_DATABASE_URL is not set');
  const reader = openVendorDatabase(readUrl, name, tools.logger);
  const writer = writeUrl === undefined ? reader : openVendorDatabase(writeUrl, name, tools.logger);
  const sql = statements(config);

  const query = (statement: string, values: readonly (string | number)[]) =>
    tools.attempt('read', () => reader.transact('read only', client => client.query(statement, [...values])));
  const users = async (statement: string, values: readonly (string | number)[]): Promise<ChatBotUser[]> => {
    const { rows } = await query(statement, values);
    return everyRow(name, UserRows.parse(rows));
  };
  const user = async (id: string): Promise<ChatBotUser | undefined> => (await users(sql.userById, [id]))[0];

  return {
    user,

    /** Reads no row; fails when a table or columns are missing or not readable. */
    async checkAccess(): Promise<void> {
      await query(sql.noUser, []);
      await query(sql.noConversation, []);
    },

    /** Whether the login for terminations may deactivate users. */
    async checkTerminations(): Promise<CheckFinding[]> {
      const { rows } = await tools.attempt('read', () =>
        writer.transact('read only', client => client.query<{ allowed: boolean }>(sql.mayDeactivate)),
      );
      return rows[0]?.allowed ? [] : [noTerminations];
    },

    /** Lines for `.env`. */
    async proposeSettings(): Promise<string[]> {
      const { rows } = await tools.attempt('read', () =>
        reader.transact('read only', client => client.query<TableColumn>(readColumns)),
      );
      return proposeTables(rows);
    },

    /** All matches, also inactive users: an e-mail in any case, a phone in any spelling. */
    async findUsers(key: ChatBotUserKey): Promise<ChatBotUser[]> {
      if ('crmId' in key) return await users(sql.usersByCrmId, [key.crmId]);
      if ('email' in key) return await users(sql.usersByEmail, [key.email.trim()]);
      const digits = key.phone.replace(/\D/g, '');
      if (digits === '') return [];
      const candidates = await users(sql.usersByPhone, [digits]);
      return candidates.filter(({ phone }) => isSameNumber(phone ?? '', key.phone));
    },

    /** The newest 200, newest first. */
    async conversations(userId: string): Promise<Conversation[]> {
      const { rows } = await query(sql.conversations, [userId]);
      return goodRows(ConversationRows.parse(rows));
    },

    /**
     * Idempotent.
     * @returns the user as read afterwards with the reading login; undefined when there is none
     */
    async deactivateUser(id: string): Promise<ChatBotUser | undefined> {
      await tools.attempt('set', () => writer.transact('read write', client => client.query(sql.deactivate, [id])));
      return await user(id);
    },
  };
}

const noTerminations = warning(
  'the login may not change whether users are active: terminations fail',
  'set CHATBOT_TERMINATE_DATABASE_URL to a login that may: grant select (id), update (active)',
);

/** The sandbox creates it next to our database, under this name. */
function sandboxDatabase(ours: string): string {
  const url = new URL(ours);
  url.pathname += '_sandbox_chat_bot';
  return url.href;
}

/** Compares in E.164, because numbers of two countries may end alike; else by all digits. */
function isSameNumber(stored: string, wanted: string): boolean {
  const [one, other] = [toE164(stored), toE164(wanted)];
  return one === undefined || other === undefined
    ? stored.replace(/\D/g, '') === wanted.replace(/\D/g, '')
    : one === other;
}

const quoted = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.');

function statements(config: ChatBotConfig) {
  const [id, crmId, email, phone, name, active] = config.CHATBOT_USER_COLUMNS.map(quoted);
  const [userId, channel, startedAt, lastMessageAt, messages] = config.CHATBOT_CONVERSATION_COLUMNS.map(quoted);
  const users = quoted(config.CHATBOT_USERS_TABLE);
  const usersWhere = (condition: string) =>
    `select ${id}::text as id, ${crmId} as "crmId", ${name} as name, ${email} as email, ${phone} as phone,
      ${active} as active from ${users} where ${condition} order by ${id} limit ${maxUsers}`;
  const conversationsWhere = (condition: string) =>
    `select ${channel} as channel, ${startedAt}::timestamptz as "startedAt",
      ${lastMessageAt}::timestamptz as "lastMessageAt", ${messages} as messages
      from ${quoted(config.CHATBOT_CONVERSATIONS_TABLE)} where ${condition}
      order by ${startedAt} desc limit ${maxConversations}`;
  /** The digits without country and trunk prefix, whose spelling varies. */
  const lastDigits = (value: string | undefined) => `right(regexp_replace(${value}, '\\D', '', 'g'), 9)`;
  return {
    noUser: usersWhere('false'),
    userById: usersWhere(`${id} = $1`),
    usersByCrmId: usersWhere(`${crmId} = $1`),
    usersByEmail: usersWhere(`lower(trim(${email})) = lower($1)`),
    usersByPhone: usersWhere(`${lastDigits(phone)} = ${lastDigits('$1')}`),
    noConversation: conversationsWhere(`${userId} is null and false`),
    conversations: conversationsWhere(`${userId} = $1`),
    mayDeactivate: {
      text: `select has_column_privilege($1, $2, 'update') as allowed`,
      values: [users, config.CHATBOT_USER_COLUMNS.at(-1)],
    },
    deactivate: `update ${users} set ${active} = false where ${id} = $1`,
  };
}
