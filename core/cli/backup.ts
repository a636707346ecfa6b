/** `npm run backup` and `npm run restore`: the database and the stored results as a folder of files. */
import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { z } from 'zod';
import { DatabaseConfig } from '../postgres/client.ts';
import { withConnection } from '../postgres/connection.ts';
import { checkFiles, hasRows, readTables, TableContents, writeTables } from '../postgres/copy-tables.ts';
import { withPostgres } from '../postgres/embedded/server.ts';
import { emptyDatabase, migrateDatabase, migrationsOf, readApplied } from '../postgres/migrate.ts';
import { ConfigurationError, readConfig } from '../runtime/config.ts';
import { codeOf, undefinedIfMissing } from '../runtime/error-code.ts';
import { createPrivateFiles } from '../runtime/private-folder.ts';
import { ServiceConfig } from '../runtime/service-config.ts';
import { StartError } from '../runtime/start-error.ts';
import { StorageConfig } from '../storage/config.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { lockDataFolder } from './start-lock.ts';

const usage = `npm run backup                                  writes a backup to backups/<time>; the service may run
npm run backup -- FOLDER                        writes it to FOLDER, which must not exist
npm run restore -- FOLDER                       restores into an empty installation; the service must not run
npm run restore -- FOLDER --overwrite           deletes the data of the installation first

A backup contains all tables and the stored results (unless they are in an S3 bucket). Its files contain secrets.
`;

const Config = z.object({ ...ServiceConfig.shape, ...DatabaseConfig.shape, ...StorageConfig.shape });
type Config = z.infer<typeof Config>;

/** `backup.json`, written last. */
const Backup = z.object({
  createdAt: z.iso.datetime(),
  /** Creation times of the applied migrations. */
  migrations: z.array(z.number()),
  ...TableContents.shape,
  results: z.int(),
});

async function createBackup(config: Config, logger: Logger, folder: string): Promise<string> {
  if (existsSync(folder)) throw new StartError(`${folder} exists already: name a folder that does not exist.`);
  const draft = `${folder}.unfinished`;
  try {
    const counts = await writeBackup(config, logger, draft);
    await rename(draft, folder);
    return `Wrote ${folder}: ${counts}. It contains secrets; keep a copy on another machine.`;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function writeBackup(config: Config, logger: Logger, draft: string): Promise<string> {
  await mkdir(path.join(draft, 'tables'), { recursive: true, mode: 0o700 });
  const createdAt = new Date().toISOString();
  const database = await withPostgres(config, logger, url =>
    withConnection({ connectionString: url, application_name: 'backup' }, async client => {
      await client.query('begin isolation level repeatable read, read only');
      const migrations = await readApplied(client);
      if (migrations.length === 0) throw new StartError('There is no data yet: the database has no tables.');
      return { migrations, ...(await writeTables(client, path.join(draft, 'tables'))) };
    }),
  );
  // After the snapshot, so that the results of all its jobs are stored.
  const results = await copyFiles(resultsOf(config), path.join(draft, 'results'));
  await writeFile(path.join(draft, 'backup.json'), JSON.stringify({ createdAt, ...database, results }, null, 1));
  return countsOf({ ...database, results });
}

async function restoreBackup(config: Config, logger: Logger, folder: string, overwrite: boolean): Promise<string> {
  const text = await readFile(path.join(folder, 'backup.json'), 'utf8').catch(undefinedIfMissing);
  if (text === undefined) throw new StartError(`${folder} is no complete backup: it has no backup.json.`);
  const backup = Backup.parse(JSON.parse(text));
  const tables = path.join(folder, 'tables');
  await checkFiles(tables, backup);
  const unlock = await lockDataFolder(path.resolve(config.DATA_DIR));
  const migrations = await mkdtemp(path.join(os.tmpdir(), 'portal-migrations-'));
  try {
    await migrationsOf(backup.migrations, migrations);
    await withPostgres(config, logger, async url => {
      const onDatabase = <T>(work: (client: pg.Client) => Promise<T>) =>
        withConnection({ connectionString: url, application_name: 'restore' }, work);
      await onDatabase(client => requireUnused(client, overwrite));
      await emptyDatabase(url);
      await migrateDatabase({ url, logger, folder: migrations });
      await onDatabase(client => readTables(client, tables, backup));
      await migrateDatabase({ url, logger });
    });
  } finally {
    await rm(migrations, { recursive: true });
    await unlock();
  }
  await copyFiles(path.join(folder, 'results'), resultsOf(config));
  return (
    `Restored the backup of ${backup.createdAt}: ${countsOf(backup)}. What was created in outside systems since then is ` +
    'not in the effects ledger: see docs/operations.md before you start the workers.'
  );
}

/** @throws StartError when the service runs, or the database has rows and must not be overwritten */
async function requireUnused(client: pg.Client, overwrite: boolean): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'portal-%' order by 1`);
  if (rows.length > 0)
    throw new StartError(`The service runs (${rows.map(({ name }) => name).join(', ')}): stop it first.`);
  if (!overwrite && (await hasRows(client)))
    throw new StartError('The database has data. To delete it and restore the backup, add --overwrite.');
}

/** Undefined: in a bucket, which has its own copies. */
const resultsOf = ({ STORAGE_URL: location, DATA_DIR }: Config) =>
  typeof location === 'object' ? undefined : path.join(location ?? path.join(DATA_DIR, 'results'), 'objects');

/** Without files that are deleted meanwhile. @returns the number of files */
async function copyFiles(from: string | undefined, to: string | undefined): Promise<number> {
  let files = 0;
  if (from === undefined || to === undefined) return files;
  for (const entry of (await readdir(from, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing)) ?? []) {
    if (!entry.isFile()) continue;
    const source = path.join(entry.parentPath, entry.name);
    const target = path.join(to, path.relative(from, source));
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    const isCopied = await copyFile(source, target, constants.COPYFILE_FICLONE).then(() => true, undefinedIfMissing);
    if (!isCopied) continue;
    // A copy has the mode of its source, which an earlier version may have written for all to read.
    await chmod(target, 0o600);
    files++;
  }
  return files;
}

const countsOf = ({ tables, results }: Pick<z.infer<typeof Backup>, 'tables' | 'results'>): string =>
  `${tables.reduce((sum, { rows }) => sum + rows, 0)} rows in ${tables.length} tables, ${results} files of results`;

async function run([command, ...args]: string[]): Promise<string> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { overwrite: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return usage;
  const [folder = command === 'backup' ? defaultFolder() : undefined, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new StartError(usage);
  if (existsSync('.env')) process.loadEnvFile('.env');
  createPrivateFiles();
  const config = readConfig(Config);
  const logger = createLogger('backup', { ...config, LOG_LEVEL: 'warn' });
  return command === 'backup'
    ? await createBackup(config, logger, folder)
    : await restoreBackup(config, logger, folder, values.overwrite);
}

/** Such as `backups/2026-01-31T080000Z`. */
const defaultFolder = () => path.join('backups', new Date().toISOString().replaceAll(/:|\.\d+/g, ''));

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  const isExpected =
    error instanceof StartError || error instanceof ConfigurationError || codeOf(error).startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof Error) || !isExpected) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
