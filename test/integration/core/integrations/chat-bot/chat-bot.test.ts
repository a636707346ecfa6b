/** The chat-bot connector: unusual names, restricted logins, and failures. */
import { parseEnv } from 'node:util';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openVendorDatabase } from '../../../../../core/integrations/chat-bot/database.ts';
import chatBotSystem from '../../../../../core/integrations/chat-bot/system.ts';
import { createCallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { dropChatBotDatabase, seedChatBotDatabase } from '../../../../../sandbox/chat-bot/database.ts';
import { queryChatBot } from '../../../../support/chat-bot-database.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const system = { name: 'chat-bot', title: 'The chat-bot database' };

const { database, url: ours } = await useTestDatabase('chat bot');
const url = await seedChatBotDatabase(ours);
afterAll(() => dropChatBotDatabase(ours));

const bot = (statement: string) => queryChatBot(ours, statement);
const connect = (env: Record<string, string>) =>
  chatBotSystem.client(
    openIntegrationContext({ env, sandboxUrl: undefined, budgets: createCallBudgets(database), logger }),
  );
const changed = (change: (url: URL) => void) => {
  const other = new URL(url);
  change(other);
  return other.href;
};

it('proposes the tables and columns of the bot, which the doctor accepts', async () => {
  const lines = await connect({ CHATBOT_DATABASE_URL: url }).proposeSettings();
  const proposed = parseEnv(lines.join('\n'));
  expect(proposed).toEqual({
    CHATBOT_USERS_TABLE: 'users',
    CHATBOT_USER_COLUMNS: 'id,crm_id,email,phone,name,active',
    CHATBOT_CONVERSATIONS_TABLE: 'conversations',
    CHATBOT_CONVERSATION_COLUMNS: 'user_id,channel,started_at,last_message_at,message_count',
  });
  await connect({ CHATBOT_DATABASE_URL: url, ...z.record(z.string(), z.string()).parse(proposed) }).checkAccess();
});

describe('the tables', () => {
  it('may have any name: names are quoted', async () => {
    await bot('create schema "Bot; drop"');
    await bot(
      `create table "Bot; drop"."User Accounts" ("Id" text, "select" integer, "E-Mail" text, tel text, "na""me" text, "on" boolean)`,
    );
    await bot(
      `insert into "Bot; drop"."User Accounts" values ('u1', 7, ' Layla@Firm.Example ', '050 123 4567', 'Layla', true)`,
    );
    const chatBot = connect({
      CHATBOT_DATABASE_URL: url,
      CHATBOT_USERS_TABLE: 'Bot; drop.User Accounts',
      CHATBOT_USER_COLUMNS: 'Id,select,E-Mail,tel,na"me,on',
    });
    const layla = {
      id: 'u1',
      crmId: 7,
      name: 'Layla',
      email: 'layla@firm.example',
      phone: '050 123 4567',
      active: true,
    };
    for (const key of [{ crmId: 7 }, { email: 'LAYLA@firm.example' }, { phone: '+971501234567' }])
      expect(await chatBot.findUsers(key)).toEqual([layla]);
    expect(await chatBot.findUsers({ phone: '+44 50 123 4567' })).toEqual([]);
    expect(await chatBot.findUsers({ email: `' or true --` })).toEqual([]);
  });

  it('that do not exist or are not readable cause an error with our message', async () => {
    const chatBot = connect({ CHATBOT_DATABASE_URL: url, CHATBOT_USERS_TABLE: 'nothing' });
    await expect(chatBot.findUsers({ crmId: 7 })).rejects.toMatchObject({
      status: 502,
      transient: false,
      message: 'The chat-bot database does not have the configured tables and columns, or denies access to them.',
    });
  });
});

describe('a user', () => {
  /** A restricted login without separate roles: the user name determines its permissions. */
  const narrow = () =>
    changed(other => {
      other.searchParams.set('application_name', 'terminator');
    });

  it('is deactivated with the writing login only', async () => {
    await bot(`create function refuse() returns trigger language plpgsql as
      $$ begin raise insufficient_privilege using message = 'not you, ' || current_user; end $$`);
    await bot(`create trigger only_terminator before update on users for each row
      when (current_setting('application_name') <> 'terminator') execute function refuse()`);
    const [{ id = '' } = {}] = await bot('select id::text from users where active limit 1');
    const wide = connect({ CHATBOT_DATABASE_URL: url });
    await expect(wide.deactivateUser(String(id))).rejects.toMatchObject({ status: 502, transient: false });

    const chatBot = connect({ CHATBOT_DATABASE_URL: url, CHATBOT_TERMINATE_DATABASE_URL: narrow() });
    const user = await chatBot.user(String(id));
    expect(user).toMatchObject({ active: true });
    expect(await chatBot.deactivateUser(String(id))).toEqual({ ...user, active: false });
    expect(await chatBot.deactivateUser(String(id))).toEqual({ ...user, active: false });
    expect(await chatBot.deactivateUser('1')).toBeUndefined();
  });
});

describe('the check of the settings', () => {
  it('warns about a login that may not deactivate users, and rejects one that may not read conversations', async () => {
    const chatBot = connect({ CHATBOT_DATABASE_URL: url });
    expect(await chatBot.checkTerminations()).toEqual([]);
    // The owner may revoke and grant its own rights.
    await bot('revoke update on users from current_user');
    await bot('revoke select on conversations from current_user');
    try {
      expect(await chatBot.checkTerminations()).toMatchObject([
        { level: 'warning', fix: expect.stringContaining('CHATBOT_TERMINATE_DATABASE_URL') },
      ]);
      await expect(chatBot.checkAccess()).rejects.toMatchObject({ failure: { code: '42501' } });
    } finally {
      await bot('grant update on users to current_user');
      await bot('grant select on conversations to current_user');
    }
    await chatBot.checkAccess();
  });
});

describe('a database', () => {
  it('is read in transactions that cannot write', async () => {
    const foreign = openVendorDatabase(url, system, logger);
    const attempt = foreign.transact('read only', client => client.query('update users set active = false'));
    await expect(attempt).rejects.toBeInstanceOf(UpstreamError);
    expect(await bot('select from users where active limit 1')).toHaveLength(1);
  });

  it('that exceeds its timeout is an error, and the next query succeeds', async () => {
    const foreign = openVendorDatabase(url, system, logger, 100);
    const attempt = foreign.transact('read only', client => client.query('select pg_sleep(5)'));
    await expect(attempt).rejects.toMatchObject({ status: 504, transient: true });
    const { rows } = await foreign.transact('read only', client => client.query('select 1 as one'));
    expect(rows).toEqual([{ one: 1 }]);
  });

  it.each([
    ['cannot be reached', { port: '1' }, 502, true],
    ['does not exist', { pathname: '/nowhere' }, 502, false],
  ])('that %s is an error without the server’s text', async (_, change, status, transient) => {
    const foreign = openVendorDatabase(
      changed(other => Object.assign(other, change)),
      system,
      logger,
    );
    const attempt = foreign.transact('read only', client => client.query('select 1'));
    await expect(attempt).rejects.toMatchObject({ status, transient });
    await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining('nowhere') });
  });
});
