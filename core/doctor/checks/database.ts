/** PostgreSQL: reached, new enough, with what the migrations need, up to date, and with connections left. */
import type pg from 'pg';
import { QueueConfig } from '../../jobs/config.ts';
import { DatabaseConfig } from '../../postgres/config.ts';
import { EmbeddedPostgresError } from '../../postgres/embedded/error.ts';
import { MigrationError, migrationsToCome } from '../../postgres/migrate.ts';
import { ConfigurationError, isSet } from '../../runtime/config.ts';
import { type Finding, failure, ok, warning } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { onDatabase } from '../on-database.ts';
import { codeOf, errorText } from '../run-checks.ts';

const leastVersion = 14;
const extensions = ['ltree', 'pg_trgm'];

export default defineCheck({
  name: 'database',
  // The embedded one may have to be made first.
  timeoutMs: 90_000,
  whenSilent: 'look whether PostgreSQL is overloaded, or a firewall drops its packets',
  async look(context) {
    const begun = performance.now();
    try {
      return await onDatabase(context, async (client, url) => {
        const { version, size } = await one(
          client,
          `select current_setting('server_version') as version,
            pg_size_pretty(pg_database_size(current_database())) as size`,
        );
        const ms = Math.round(performance.now() - begun);
        const findings = [
          ...versionOf(String(version)),
          ...(await lackingExtensions(client)),
          ...(await migrations(client)),
          ...(await connectionsLeft(client, context)),
          ...(await unsafeSettings(client)),
        ];
        const place = `${url.pathname.slice(1)} at ${url.host}`;
        return [ok(`PostgreSQL ${version}, ${place}, ${size}, ${ms} ms`), ...findings];
      });
    } catch (error) {
      return notConnected(error, context);
    }
  },
});

async function one(
  client: pg.Client,
  statement: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>> {
  const { rows } = await client.query<Record<string, unknown>>(statement, values);
  return rows[0] ?? {};
}

function notConnected(error: unknown, { env }: DoctorContext): Finding {
  if (error instanceof ConfigurationError) throw error;
  if (error instanceof EmbeddedPostgresError)
    return failure(errorText(error), 'or set DATABASE_URL to one of your own');
  const code = codeOf(error);
  const named = isSet('DATABASE_URL', env) ? 'DATABASE_URL' : 'the embedded PostgreSQL';
  if (/^28/.test(code))
    return failure('PostgreSQL refuses the login', `correct user and password in ${named}`);
  if (code === '3D000')
    return failure('the database is not there', `create it, or correct its name in ${named}`);
  if (code === '53300')
    return failure('PostgreSQL has no connection left', 'raise max_connections, or lower DATABASE_POOL');
  return failure(
    `PostgreSQL cannot be reached (${code || errorText(error)})`,
    `start it, or correct ${named}`,
  );
}

const versionOf = (version: string): Finding[] =>
  Number.parseInt(version, 10) >= leastVersion
    ? []
    : [failure(`PostgreSQL ${version} is too old`, `use PostgreSQL ${leastVersion} or later`)];

/** Made by the migrations, if the server has them and the role may. */
async function lackingExtensions(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string; installed: string | null; may: boolean }>(
    `select name, installed_version as installed,
      has_database_privilege(current_database(), 'create') as may
     from pg_available_extensions where name = any($1)`,
    [extensions],
  );
  return extensions.flatMap(name => {
    const found = rows.find(row => row.name === name);
    if (!found)
      return failure(
        `the extension ${name} is missing on the server`,
        'install PostgreSQL’s contrib package',
      );
    if (found.installed !== null || found.may) return [];
    return failure(
      `the extension ${name} is not there and the role may not make it`,
      `run as a superuser: CREATE EXTENSION ${name}`,
    );
  });
}

async function migrations(client: pg.Client): Promise<Finding[]> {
  try {
    const pending = await migrationsToCome(client);
    if (pending.length === 0) return [];
    return [
      warning(
        `${pending.length} migrations are not applied yet`,
        'the next process of this version that starts applies them',
      ),
    ];
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return [failure('the database and this version do not fit together', errorText(error))];
  }
}

async function connectionsLeft(client: pg.Client, context: DoctorContext): Promise<Finding[]> {
  const { most, used } = await one(
    client,
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  const left = Number(most) - Number(used);
  // A process holds its pool, the queues' connections where they are in PostgreSQL, and some that listen.
  const inPostgres = context.read(QueueConfig).REDIS_URL === undefined;
  const needed = context.read(DatabaseConfig).DATABASE_POOL + (inPostgres ? 20 : 0) + 4;
  if (left >= needed) return [];
  return [
    warning(
      `${left} of ${most} connections are left, and a process may take ${needed}`,
      'raise max_connections, or lower DATABASE_POOL',
    ),
  ];
}

async function unsafeSettings(client: pg.Client): Promise<Finding[]> {
  const { fsync } = await one(client, `select current_setting('fsync') as fsync`);
  return fsync === 'off'
    ? [warning('PostgreSQL does not flush (fsync off): a power cut may ruin the database', 'set fsync on')]
    : [];
}
