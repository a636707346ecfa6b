/** PostgreSQL: connection, version, extensions, migrations; and our clock against PostgreSQL's. */
import type pg from 'pg';
import { connectionProblem } from '../../postgres/connection.ts';
import { EmbeddedPostgresError } from '../../postgres/embedded/error.ts';
import { MigrationError, pendingMigrations } from '../../postgres/migrate.ts';
import { ConfigurationError } from '../../runtime/config.ts';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { defineCheck, errorText } from '../check.ts';
import { type DoctorContext, onDatabase, onWorkingDatabase } from '../context.ts';

const minimumVersion = 14;
const extensions = ['ltree', 'pg_trgm'];
const maxClockDifferenceMs = 2_000;
/** Starting the embedded PostgreSQL for the first time is included. */
const timeoutMs = 90_000;

const database = defineCheck({
  name: 'database',
  timeoutMs,
  onTimeout: 'check whether PostgreSQL is overloaded, or a firewall drops its packets',
  async run(context) {
    const startedAt = performance.now();
    try {
      return await onDatabase(context, async (client, url) => {
        const { version, size, readonly } = await queryRow(
          client,
          `select current_setting('server_version') as version,
            pg_size_pretty(pg_database_size(current_database())) as size,
            current_setting('transaction_read_only') = 'on' as readonly`,
        );
        if (readonly === true)
          return failure('the database is read-only', 'connect to the primary, or end its maintenance');
        const ms = Math.round(performance.now() - startedAt);
        const findings = [...(await missingExtensions(client))];
        for await (const finding of migrationProblems(client)) findings.push(finding);
        for await (const finding of settingProblems(client)) findings.push(finding);
        const address = `${url.pathname.slice(1)} at ${url.host}`;
        return [ok(`PostgreSQL ${version}, ${address}, ${size}, ${ms} ms`), ...findings];
      });
    } catch (error) {
      return connectionFailure(error, context);
    }
  },
});

/** Leases, schedules, tokens and signatures rely on both clocks. */
const clock = defineCheck({
  name: 'clock',
  timeoutMs,
  async run(context) {
    const differenceMs = await onWorkingDatabase(context, async client => {
      const sentAt = Date.now();
      const { ms } = await queryRow(client, 'select extract(epoch from clock_timestamp()) * 1000 as ms');
      return Number(ms) - (sentAt + Date.now()) / 2;
    });
    const found = `${Math.round(Math.abs(differenceMs))} ms from the database’s`;
    return Math.abs(differenceMs) <= maxClockDifferenceMs
      ? ok(found)
      : warning(found, 'synchronise both machines with NTP (timedatectl set-ntp true)');
  },
});

export default [database, clock];

async function queryRow(client: pg.Client, statement: string): Promise<Record<string, unknown>> {
  const { rows } = await client.query<Record<string, unknown>>(statement);
  return rows[0] ?? {};
}

function connectionFailure(error: unknown, { env }: DoctorContext): CheckFinding {
  if (error instanceof ConfigurationError) throw error;
  if (error instanceof EmbeddedPostgresError)
    return failure(errorText(error), 'or set DATABASE_URL to a PostgreSQL server of your own');
  const { found, fix } = connectionProblem(error, env);
  return failure(found, fix);
}

/** The migrations create extensions when the server offers them and the role may. */
async function missingExtensions(client: pg.Client): Promise<CheckFinding[]> {
  const { rows } = await client.query<{ name: string; installed: string | null; may: boolean }>(
    `select name, installed_version as installed,
      has_database_privilege(current_database(), 'create') as may
     from pg_available_extensions where name = any($1)`,
    [extensions],
  );
  return extensions.flatMap(name => {
    const found = rows.find(row => row.name === name);
    if (!found)
      return failure(`the extension ${name} is missing on the server`, 'install PostgreSQL’s contrib package');
    if (found.installed !== null || found.may) return [];
    return failure(
      `the extension ${name} does not exist and the role may not create it`,
      `run as a superuser: CREATE EXTENSION ${name}`,
    );
  });
}

async function* settingProblems(client: pg.Client): AsyncGenerator<CheckFinding> {
  const { version, fsync } = await queryRow(
    client,
    `select current_setting('server_version') as version, current_setting('fsync') as fsync`,
  );
  if (Number.parseInt(String(version), 10) < minimumVersion)
    yield failure(`PostgreSQL ${version} is too old`, `use PostgreSQL ${minimumVersion} or later`);
  if (fsync === 'off') yield warning('fsync is off: a power failure may corrupt the database', 'set fsync on');
}

async function* migrationProblems(client: pg.Client): AsyncGenerator<CheckFinding> {
  try {
    const pending = await pendingMigrations(client);
    if (pending.length > 0)
      yield warning(
        `${pending.length} migrations are not applied yet`,
        'start a process of this version: it applies them',
      );
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    yield failure('the database and this version do not match', errorText(error));
  }
}
