/** Simulates the chat bot's PostgreSQL database on the server of the service's own database. */
import pg from 'pg';
import { seedConversations, seedUsers } from './seed.ts';

const tables = `
  create table if not exists users (
    id bigint primary key, crm_id integer, email text, phone text, name text not null, active boolean not null
  );
  create table if not exists conversations (
    id bigint generated always as identity primary key, user_id bigint not null references users,
    channel text not null, started_at timestamptz not null, last_message_at timestamptz, message_count integer not null
  );
  create index if not exists conversations_of_user on conversations (user_id)`;

/**
 * Creates the database unless it exists, and resets its rows to the seed data.
 * @param serviceUrl URL of the service's database; its user must be allowed to create databases
 * @param keep rows that exist stay as they are
 * @returns the URL of the chat bot's database
 */
export async function seedChatBotDatabase(serviceUrl: string, keep = false): Promise<string> {
  const url = chatBotUrl(serviceUrl);
  await withClient(serviceUrl, async client => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName(url)]);
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(databaseName(url))}`);
  });
  await withClient(url, async client => {
    await client.query('begin');
    await client.query(tables);
    if (!keep) await client.query('truncate users, conversations');
    if ((await client.query('select from users limit 1')).rowCount) return void (await client.query('commit'));
    await client.query(
      `insert into users select id, "crmId", email, phone, name, active from jsonb_to_recordset($1::jsonb)
        as seed (id bigint, "crmId" integer, email text, phone text, name text, active boolean)`,
      [JSON.stringify(seedUsers())],
    );
    await client.query(
      `insert into conversations (user_id, channel, started_at, last_message_at, message_count)
        select "userId", channel, "startedAt", "lastMessageAt", messages from jsonb_to_recordset($1::jsonb)
        as seed ("userId" bigint, channel text, "startedAt" timestamptz, "lastMessageAt" timestamptz, messages integer)`,
      [JSON.stringify(seedConversations())],
    );
    await client.query('commit');
  });
  return url;
}

/**
 * Odd rows, as databases without constraints have them: one user in 20 neither active nor inactive, one conversation in
 * five without a channel.
 */
export const makeChatBotMessy = (serviceUrl: string): Promise<void> =>
  withClient(chatBotUrl(serviceUrl), async client => {
    await client.query('alter table users alter active drop not null');
    await client.query('alter table conversations alter channel drop not null');
    await client.query('update users set active = null where id % 20 = 7');
    await client.query('update conversations set channel = null where id % 5 = 2');
  });

/** Drops the database. Terminates open connections first; `drop … with (force)` fails while autovacuum runs on it. */
export const dropChatBotDatabase = (serviceUrl: string): Promise<void> =>
  withClient(serviceUrl, async client => {
    const name = databaseName(chatBotUrl(serviceUrl));
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) return;
    await endConnections(client, name);
    await client.query(`drop database ${pg.escapeIdentifier(name)}`);
  });

/** Simulates an outage: the database accepts no connections until `isDown` is false. */
export const setChatBotDown = (serviceUrl: string, isDown: boolean): Promise<void> =>
  withClient(serviceUrl, async client => {
    const name = databaseName(chatBotUrl(serviceUrl));
    if (isDown) await endConnections(client, name);
    else await client.query(`alter database ${pg.escapeIdentifier(name)} allow_connections true`);
  });

async function endConnections(client: pg.Client, name: string): Promise<void> {
  await client.query(`alter database ${pg.escapeIdentifier(name)} allow_connections false`);
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user`,
    [name],
  );
}

/** The database that the service uses when no chat-bot database is configured. */
function chatBotUrl(serviceUrl: string): string {
  const url = new URL(serviceUrl);
  url.pathname += '_sandbox_chat_bot';
  return url.href;
}

const databaseName = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1));

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
