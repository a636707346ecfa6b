/** Statements, rows and errors of the chat-bot database, with a simulated PostgreSQL driver. */
import pg from 'pg';
import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openVendorDatabase } from '../../../../../core/integrations/chat-bot/database.ts';
import chatBot from '../../../../../core/integrations/chat-bot/system.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { once, openClient, vendorContext } from '../../../../support/vendor.ts';

interface Statement {
  text: string;
  values: unknown[];
}

const driver = {
  /** Its connections, each with its settings and statements. */
  pools: [] as Pool[],
  /** Rows of the statements that are no transaction control, in order; the last one is repeated. */
  answers: [] as unknown[],
  connectError: undefined as unknown,
};

class Pool {
  readonly statements: Statement[] = [];
  /** Whether each released client was destroyed. */
  readonly released: boolean[] = [];
  readonly options: Record<string, unknown>;
  constructor(options: Record<string, unknown>) {
    this.options = options;
    driver.pools.push(this);
  }
  /** A new connection, which is lost. */
  on(event: string, listener: (client: object) => void) {
    if (event === 'connect') {
      this.lose = reason => listener({ on: (_: string, report: (error: Error) => void) => report(new Error(reason)) });
    }
    return this;
  }
  lose: (reason: string) => void = () => undefined;
  async connect() {
    if (driver.connectError !== undefined) throw driver.connectError;
    return {
      query: async (statement: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
        this.statements.push(typeof statement === 'string' ? { text: statement, values } : statement);
        const text = typeof statement === 'string' ? statement : statement.text;
        if (/^(begin|commit)/.test(text)) return { rows: [] };
        const answer = driver.answers.length > 1 ? driver.answers.shift() : driver.answers[0];
        if (answer instanceof Error) throw answer;
        return { rows: answer ?? [] };
      },
      release: (destroyed = false) => this.released.push(destroyed),
    };
  }
}

beforeAll(() => {
  const original = pg.Pool;
  Reflect.set(pg, 'Pool', Pool);
  return () => void Reflect.set(pg, 'Pool', original);
});

const url = 'postgres://reader@127.0.0.1:1/bot';
const sara = { id: '7', crmId: '17', name: ' Sara ', email: ' Sara@X.example ', phone: '050 123 4567', active: true };
const ourSara = { id: '7', crmId: 17, name: 'Sara', email: 'sara@x.example', phone: '050 123 4567', active: true };

const opened = (env: Record<string, string> = {}) => openClient(chatBot, { CHATBOT_DATABASE_URL: url, ...env });
const poolOf = (at: number) => driver.pools[at] ?? expect.unreachable(`no connection ${at}`);
/** The statements of a connection without transaction control. */
const sent = (at = 0) => poolOf(at).statements.filter(({ text }) => !/^(begin|commit)/.test(text));
const failing = (code: string, message = 'text of the server') => Object.assign(new Error(message), { code });

beforeEach(() => {
  driver.pools.length = 0;
  driver.answers = [[]];
  driver.connectError = undefined;
});

describe('users', () => {
  it.each([
    [{ crmId: 17 }, [17], /where "crm_id" = \$1/],
    [{ email: ' Sara@X.example ' }, ['Sara@X.example'], /where lower\(trim\("email"\)\) = lower\(\$1\)/],
    [{ phone: '+971 50 123 4567' }, ['971501234567'], /where right\(regexp_replace\("phone", '\\D', '', 'g'\), 9\)/],
  ])('are found by %j', async (key, values, condition) => {
    driver.answers = [[sara]];
    expect(await once(() => opened().findUsers(key))).toEqual([ourSara]);
    expect(sent()).toEqual([{ text: expect.stringMatching(condition), values }]);
    expect(sent()[0]?.text).toMatch(/from "users" .* order by "id" limit 200$/s);
  });

  it('have null for empty and missing values', async () => {
    driver.answers = [[{ id: '7', crmId: null, name: ' ', email: null, phone: '', active: false }]];
    expect(await once(() => opened().user('7'))).toEqual({
      id: '7',
      crmId: null,
      name: null,
      email: null,
      phone: null,
      active: false,
    });
    expect(sent()).toEqual([{ text: expect.stringContaining('where "id" = $1'), values: ['7'] }]);
  });

  it('are undefined when there is none', async () => expect(await once(() => opened().user('7'))).toBeUndefined());

  it.each([
    ['+971501234567', ['0501234567', '00971 50 123 4567'], 2],
    ['+971501234567', ['+44 50 123 4567'], 0],
    ['+971501234567', ['+44 7501 234567'], 0],
    ['0501234567', ['050_123_4567', '050_123_4568'], 1],
    ['050_123_4567', ['0501234567', '0501234568'], 1],
    ['12-34', ['1234', '12 34', '91234', null], 2],
    ['+971501234567', ['501234567x'], 1],
  ])('with the phone %s among %j are %i', async (phone, stored, count) => {
    driver.answers = [stored.map(given => ({ ...sara, phone: given }))];
    expect(await once(() => opened().findUsers({ phone }))).toHaveLength(count);
  });

  it('with a phone without digits are none, without a query', async () => {
    expect(await once(() => opened().findUsers({ phone: 'none' }))).toEqual([]);
    expect(sent()).toEqual([]);
  });

  it('with values of another type than configured are an error without the values', async () => {
    driver.answers = [[{ ...sara, active: 'Sara Haddad' }]];
    const failure = { kind: 'rejected', system: 'chat-bot' };
    const attempt = once(() => opened().user('7'));
    await expect(attempt).rejects.toMatchObject({
      code: 'upstream-failed',
      message:
        'The chat-bot database returned an answer in an unexpected form: chat-bot user 7: active: expected boolean, received string.',
      failure,
    });
    await expect(attempt).rejects.toMatchObject({ failure: { message: expect.not.stringContaining('Sara') } });
  });

  it('are deactivated with the writing login, and read again with the reading one', async () => {
    driver.answers = [[], [{ ...sara, active: false }]];
    const bot = opened({ CHATBOT_TERMINATE_DATABASE_URL: 'postgres://writer@127.0.0.1:1/bot' });
    expect(await once(() => bot.deactivateUser('7'))).toEqual({ ...ourSara, active: false });
    expect(sent(1)).toEqual([{ text: 'update "users" set "active" = false where "id" = $1', values: ['7'] }]);
    expect(poolOf(1).statements[0]?.text).toMatch(/^begin read write;/);
    expect(sent(0)).toHaveLength(1);
    expect(poolOf(0).statements[0]?.text).toMatch(/^begin read only;/);
  });

  it('are deactivated by the same connections where there is one login', async () => {
    await once(() => opened().deactivateUser('7'));
    expect(driver.pools).toHaveLength(1);
    expect(sent()).toHaveLength(2);
  });
});

it('conversations are the newest 200 of a user', async () => {
  const row = { channel: 'web', startedAt: new Date(0), lastMessageAt: null, messages: '3' };
  driver.answers = [[row]];
  expect(await once(() => opened().conversations('7'))).toEqual([{ ...row, messages: 3 }]);
  expect(sent()).toEqual([
    { text: expect.stringMatching(/where "user_id" = \$1\s+order by "started_at" desc limit 200$/), values: ['7'] },
  ]);
});

describe('checks', () => {
  it('the probe reads no row of either table', async () => {
    await once(() => chatBot.probe(vendorContext({ CHATBOT_DATABASE_URL: url })));
    expect(sent().map(({ text }) => text)).toEqual([
      expect.stringMatching(/from "users" where false/),
      expect.stringMatching(/from "conversations" where "user_id" is null and false/),
    ]);
  });

  it.each([
    [[{ allowed: true }], []],
    [[{ allowed: false }], ['warning']],
    [[], ['warning']],
  ])('the right to deactivate users: %j', async (rows, levels) => {
    driver.answers = [rows];
    const env = { CHATBOT_DATABASE_URL: url, CHATBOT_USERS_TABLE: 'bot.people' };
    const findings = await once(() => chatBot.checkSettings(vendorContext(env)));
    expect(findings.map(({ level }) => level)).toEqual(levels);
    expect(sent()[0]?.values).toEqual(['"bot"."people"', 'active']);
  });

  it('the warning names the setting and the rights', async () => {
    const [finding] = await once(() => opened().checkTerminations());
    expect(finding?.fix).toMatch(/CHATBOT_TERMINATE_DATABASE_URL .* update \(active\)/);
  });
});

describe('calls', () => {
  const fails = (code: string) => {
    driver.answers = [failing(code), [sara]];
  };

  it.each([
    ['findUsers', () => opened().findUsers({ crmId: 1 })],
    ['checkTerminations', () => opened().checkTerminations()],
  ])('of %s are repeated after a transient error', async (_, call) => {
    fails('57P01');
    await call();
    expect(sent()).toHaveLength(2);
  });

  it('that deactivate are repeated as well: they are idempotent', async () => {
    driver.answers = [failing('57P01'), [], [sara]];
    expect(await opened().deactivateUser('7')).toMatchObject({ id: '7' });
    expect(sent()).toHaveLength(3);
  });
});

describe('a transaction', () => {
  const system = { name: 'chat-bot', title: 'The chat-bot database' };
  const transact = <T>(work: () => Promise<T>, access: 'read only' | 'read write' = 'read only') =>
    openVendorDatabase(url, system, pino({ level: 'silent' })).transact(access, work);

  it('has a time limit and the time zone UTC, and is committed', async () => {
    expect(await transact(async () => 'done')).toBe('done');
    expect(poolOf(0).statements.map(({ text }) => text)).toEqual([
      "begin read only; set local statement_timeout = 5000; set local time zone 'UTC'",
      'commit',
    ]);
    expect(poolOf(0).released).toEqual([false]);
    expect(poolOf(0).options).toMatchObject({
      connectionString: url,
      max: 4,
      query_timeout: 6_000,
      connectionTimeoutMillis: 5_000,
      allowExitOnIdle: true,
      keepAlive: true,
    });
  });

  it('logs a lost connection of the system, with the reason', () => {
    const logger = pino({ level: 'silent' });
    const warn = vi.spyOn(logger, 'warn');
    openVendorDatabase(url, system, logger);
    const reason = 'Connection terminated unexpectedly';
    poolOf(0).lose(reason);
    expect(warn.mock.calls).toEqual([[{ system: 'chat-bot', reason }, 'a connection was lost']]);
  });

  it('closes its connection after an error', async () => {
    await expect(transact(async () => Promise.reject(failing('42P01')))).rejects.toBeInstanceOf(UpstreamError);
    expect(poolOf(0).released).toEqual([true]);
    expect(poolOf(0).statements).toHaveLength(1);
  });

  it('passes on errors of the connector', async () => {
    const error = new UpstreamError('upstream-failed', 'x', { kind: 'rejected', system: 'chat-bot' });
    await expect(transact(() => Promise.reject(error))).rejects.toBe(error);
  });

  const transient = { kind: 'failing' };
  const rejected = { kind: 'rejected' };
  const wrongTables = 'does not have the configured tables and columns, or denies access to them';
  it.each([
    ['57014', 'canceling statement', 'upstream-timeout', 'did not answer in time', transient],
    ['', 'Query read timeout', 'upstream-timeout', 'did not answer in time', transient],
    ['', 'timeout exceeded when trying to connect', 'upstream-timeout', 'did not answer in time', transient],
    ['', 'the time-out has passed', 'upstream-timeout', 'did not answer in time', transient],
    ['53300', 'too many clients', 'upstream-unavailable', 'takes no more connections for now', transient],
    ['57P03', 'starting up', 'upstream-unavailable', 'takes no more connections for now', transient],
    ['28P01', 'password', 'upstream-failed', 'rejects our credentials', rejected],
    ['3D000', 'no database', 'upstream-failed', wrongTables, rejected],
    ['42703', 'no column', 'upstream-failed', wrongTables, rejected],
    ['22P02', 'wrong syntax', 'upstream-failed', wrongTables, rejected],
    ['57P01', 'timeout of the administrator', 'upstream-failed', 'cannot be reached, or failed', transient],
    ['53', 'x', 'upstream-unavailable', 'takes no more connections for now', transient],
    ['ECONNREFUSED', 'refused', 'upstream-failed', 'cannot be reached, or failed', transient],
    ['', 'Connection terminated', 'upstream-failed', 'cannot be reached, or failed', transient],
    ['XX428', 'internal', 'upstream-failed', 'cannot be reached, or failed', transient],
  ])('fails with %j (%s): %s, %s', async (code, text, problem, message, failure) => {
    driver.connectError = code === '' ? new Error(text) : failing(code, text);
    const attempt = transact(async () => 'done');
    await expect(attempt).rejects.toMatchObject({
      code: problem,
      message: `The chat-bot database ${message}.`,
      failure: { system: 'chat-bot', code, ...failure },
      cause: driver.connectError,
    });
  });

  it('fails with what is no error object as well', async () => {
    driver.connectError = 'timeout';
    await expect(transact(async () => 'done')).rejects.toMatchObject({ code: 'upstream-failed' });
  });
});

describe('the settings', () => {
  it('name tables and columns, in their order', async () => {
    const bot = opened({
      CHATBOT_USERS_TABLE: 'bot.people',
      CHATBOT_USER_COLUMNS: 'uid, crm, mail, tel, full name, enabled',
      CHATBOT_CONVERSATIONS_TABLE: 'talks',
      CHATBOT_CONVERSATION_COLUMNS: 'who,via,began,"last",amount',
    });
    await once(() => bot.user('7'));
    await once(() => bot.conversations('7'));
    const [users, conversations] = sent().map(({ text }) => text.replace(/\s+/g, ' '));
    expect(users).toContain(
      'select "uid"::text as id, "crm" as "crmId", "full name" as name, "mail" as email, "tel" as phone, "enabled" as active from "bot"."people"',
    );
    expect(conversations).toContain('select "via" as channel, "began"::timestamptz as "startedAt"');
    expect(conversations).toContain('"""last"""::timestamptz as "lastMessageAt", "amount" as messages from "talks"');
  });

  it.each([
    [{ CHATBOT_USERS_TABLE: 'a.b.c' }, 'must be the name of a table, such as bot.users'],
    [{ CHATBOT_USERS_TABLE: '.a' }, 'must be the name of a table, such as bot.users'],
    [{ CHATBOT_USERS_TABLE: 'a"' }, 'must be the name of a table, such as bot.users'],
    [{ CHATBOT_USERS_TABLE: 'a.' }, 'must be the name of a table, such as bot.users'],
    [{ CHATBOT_USER_COLUMNS: 'id,crm' }, 'must be 6 names of columns, comma-separated'],
    [{ CHATBOT_USER_COLUMNS: 'a,b,c,,e,f' }, 'must be 6 names of columns, comma-separated'],
    [{ CHATBOT_CONVERSATION_COLUMNS: 'a,b,c,d,e,f' }, 'must be 5 names of columns, comma-separated'],
    [{ CHATBOT_TERMINATE_DATABASE_URL: 'mysql://x/y' }, 'must be a postgres:// or postgresql:// address'],
    [{ CHATBOT_TERMINATE_DATABASE_URL: 'xpostgres://x/y' }, 'must be a postgres:// or postgresql:// address'],
    [{ CHATBOT_TERMINATE_DATABASE_URL: 'postgresx://x/y' }, 'must be a postgres:// or postgresql:// address'],
  ])('are rejected: %j', (env, message) => expect(() => opened(env)).toThrow(message));

  it.each(['postgres://x/y', 'postgresql://x/y'])('may have the address %s', address =>
    expect(() => opened({ CHATBOT_DATABASE_URL: address })).not.toThrow(),
  );
});

describe('the sandbox', () => {
  const context = (databaseUrl?: string) =>
    Object.assign(vendorContext({}, { sandboxUrl: 'http://127.0.0.1:1' }), databaseUrl && { databaseUrl });

  it('has its database next to ours', () => {
    chatBot.client(context('postgres://us:word@127.0.0.1:5432/portal?ssl=true'));
    expect(poolOf(0).options.connectionString).toBe(
      'postgres://us:word@127.0.0.1:5432/portal_sandbox_chat_bot?ssl=true',
    );
  });

  it('has none without ours', () => expect(() => chatBot.client(context())).toThrow('CHATBOT_DATABASE_URL is not set'));
});
