/**
 * `npm run import-0x`: moves the data of a 0.x database into the tables of this version. For one release: it leaves with 1.1.
 * The service must not run. An interrupted import is continued by running it again.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { DatabaseConfig } from '../postgres/client.ts';
import { withConnection } from '../postgres/connection.ts';
import { listTables } from '../postgres/copy-tables.ts';
import { withPostgres } from '../postgres/embedded/server.ts';
import { isOf0x, migrateDatabase, readApplied } from '../postgres/migrate.ts';
import { ConfigurationError, readConfig } from '../runtime/config.ts';
import { ServiceConfig } from '../runtime/service-config.ts';
import { StartError } from '../runtime/start-error.ts';
import { StorageConfig } from '../storage/config.ts';
import { createLogger } from '../telemetry/logger.ts';
import { lockDataFolder } from './start-lock.ts';
import { answerHelp } from './usage.ts';

/** Holds the old tables during the import. */
const oldSchema = 'release_0';

/** Old names of tables and columns that have another name now. */
const oldTables: Readonly<Record<string, string>> = { staged_row: 'acquired_row' };
const oldColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  effect: { lease_id: 'claim_id', leased_until: 'claimed_until' },
};

/** Moves the old tables aside; the waiting messages of the queues go, because workers requeue open jobs by themselves. */
async function moveAside(client: pg.Client): Promise<void> {
  if (await hasSchema(client, oldSchema)) return;
  if (!isOf0x(await readApplied(client))) throw new StartError('The database has no data of 0.x.');
  await client.query('begin');
  await client.query(`create schema ${oldSchema}`);
  // One by one, because the extensions stay in their schema: another role may own them.
  for (const name of await namesOf(client, 'pg_class', "relkind in ('r', 'p')"))
    await client.query(`alter table public.${name} set schema ${oldSchema}`);
  for (const name of await namesOf(client, 'pg_proc', "prokind = 'f'"))
    await client.query(`drop function public.${name} cascade`);
  await client.query('drop schema drizzle cascade');
  await client.query('drop schema if exists bullmq cascade');
  await client.query('commit');
}

/** Quoted names of what does not belong to an extension. */
async function namesOf(client: pg.Client, catalog: 'pg_class' | 'pg_proc', condition: string): Promise<string[]> {
  const [name, schema] = catalog === 'pg_class' ? ['relname', 'relnamespace'] : ['proname', 'pronamespace'];
  const { rows } = await client.query<{ name: string }>(`
    select quote_ident(${name}) as name from ${catalog} where ${schema} = 'public'::regnamespace and ${condition}
      and not exists (select from pg_depend where objid = ${catalog}.oid and deptype = 'e')`);
  return rows.map(row => row.name);
}

/** @returns the number of rows */
async function copyRows(client: pg.Client): Promise<number> {
  let rows = 0;
  await client.query('begin');
  for (const { name, columns } of await listTables(client)) {
    const old = await columnsOf(client, [name, oldTables[name] ?? name]);
    if (!old) continue;
    const pairs = columns.map(column => ({ column, from: oldColumns[name]?.[column] ?? column }));
    const kept = pairs.filter(({ from }) => old.columns.has(from));
    const list = (key: 'column' | 'from') => kept.map(pair => pg.escapeIdentifier(pair[key])).join(', ');
    const into = `public.${pg.escapeIdentifier(name)}`;
    // Triggers would write rows that the old tables have.
    await client.query(`alter table ${into} disable trigger user`);
    const copied = await client.query(
      `insert into ${into} (${list('column')}) overriding system value select ${list('from')} from ${old.table}`,
    );
    await client.query(`alter table ${into} enable trigger user`);
    rows += copied.rowCount ?? 0;
  }
  await continueSequences(client);
  await client.query(`drop schema ${oldSchema} cascade`);
  await client.query('commit');
  return rows;
}

/** @param names the first that exists is used */
async function columnsOf(client: pg.Client, names: readonly string[]) {
  for (const name of names) {
    const { rows } = await client.query<{ name: string }>(
      'select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2',
      [oldSchema, name],
    );
    if (rows.length > 0)
      return { table: `${oldSchema}.${pg.escapeIdentifier(name)}`, columns: new Set(rows.map(row => row.name)) };
  }
  return undefined;
}

/** The next id of each table follows its largest. */
async function continueSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(`
    select table_name as table, column_name as column,
      pg_get_serial_sequence(format('public.%I', table_name), column_name) as sequence
    from information_schema.columns
    where table_schema = 'public' and pg_get_serial_sequence(format('public.%I', table_name), column_name) is not null`);
  for (const { table, column, sequence } of rows) {
    const largest = `(select max(${pg.escapeIdentifier(column)}) from public.${pg.escapeIdentifier(table)})`;
    await client.query(`select setval('${sequence}', greatest(${largest}, 1), ${largest} is not null)`);
  }
}

async function hasSchema(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [name]);
  return rowCount === 1;
}

answerHelp('npm run import-0x   takes over the data of version 0.x, once; the service must not run');

async function run(): Promise<string> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(z.object({ ...ServiceConfig.shape, ...DatabaseConfig.shape, ...StorageConfig.shape }));
  const logger = createLogger('import-0x', { ...config, LOG_LEVEL: 'warn' });
  const unlock = await lockDataFolder(path.resolve(config.DATA_DIR));
  try {
    const rows = await withPostgres(config, logger, async url => {
      const onDatabase = <T>(work: (client: pg.Client) => Promise<T>) =>
        withConnection({ connectionString: url, application_name: 'import-0x' }, work);
      await onDatabase(moveAside);
      await migrateDatabase({ url, logger });
      return await onDatabase(copyRows);
    });
    return `Imported ${rows} rows of 0.x. Start the service: its workers requeue the open jobs.`;
  } finally {
    await unlock();
  }
}

try {
  process.stdout.write(`${await run()}\n`);
} catch (error) {
  if (!(error instanceof StartError) && !(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
