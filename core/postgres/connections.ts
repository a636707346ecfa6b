/** How many connections the processes may open to PostgreSQL, compared with those that it allows. */
import os from 'node:os';
import type pg from 'pg';
import { z } from 'zod';

/** The connections of a process whose pool is behind a pooler, for session locks: two terminations and the reconciler. */
export const sessionConnections = 3;
/** The connections of a process with queues in PostgreSQL, whose workers hold one each. */
export const queueConnections = 20;
/** LISTEN, migrations, and the checks of the doctor. */
export const otherConnections = 5;

export interface ProcessConnections {
  /** Undefined: the pool's connections are those of a pooler. */
  poolSize: number | undefined;
  hasRedis: boolean;
}

const Counts = z.object({ max: z.int(), used: z.int(), running: z.int() });

/** The name of a process's connections; the process comes first, because PostgreSQL cuts names after 63 characters. */
export const connectionName = (processName: string): string => `portal-${processName} ${process.pid}@${os.hostname()}`;

/** @returns `perProcess`: the most that one process opens to PostgreSQL itself; `running`: connected processes */
export async function countConnections(
  client: Pick<pg.ClientBase, 'query'>,
  { poolSize, hasRedis }: ProcessConnections,
) {
  const perProcess = otherConnections + (poolSize ?? sessionConnections) + (hasRedis ? 0 : queueConnections);
  const counts = await client.query(`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      (select count(distinct application_name)::int from pg_stat_activity
        where datname = current_database() and application_name ~ '^portal-[a-z]+ ') as running`);
  const { max, used, running } = Counts.parse(counts.rows[0]);
  return { perProcess, running, max, free: max - used };
}

/** Whether a pooler answers: it tells its clients process ids of its own. */
export async function isPooler(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== Reflect.get(client, 'processID');
}
