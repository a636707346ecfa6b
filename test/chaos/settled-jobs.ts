/** Waits until all jobs of a chaos run have finished, and reads their rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withConnection } from '../../core/postgres/connection.ts';

export interface JobRow {
  id: string;
  kind: string;
  state: string;
  clientId: string;
  attemptsMade: number;
  problem: string | null;
  detail: string | null;
  /** Whether the database holds a plan of the job. */
  hasPlan: boolean;
  result: unknown;
  callback: string | null;
  /** The tries, the next try and the last error of the callback. */
  tried: string | null;
  finishedAt: Date | null;
  /** Its events: time, type, stage of the progress. */
  timeline: string | null;
}

const finalStates = ['succeeded', 'failed', 'cancelled', 'held'];

const rowsQuery = `select job.id, kind, job.state, client_id as "clientId", attempts_made as "attemptsMade",
    replace(error->>'type', 'urn:portal-service:problem:', '') as problem, error->>'detail' as detail,
    exists (select from job_plan where job_id = job.id) as "hasPlan", result,
    delivery.state as callback, finished_at as "finishedAt",
    concat_ws(', ', 'event ' || event_id, tries || ' tries', 'next at ' || next_try_at, last_error) as tried,
    (select string_agg(concat_ws(' ', to_char(at, 'HH24:MI:SS.MS'), type, data->'progress'->>'stage'), ', ' order by id)
      from job_event where job_id = job.id) as timeline
  from job left join job_callback as delivery on delivery.job_id = job.id order by job.created_at`;

/** Longer than the lease of a callback whose worker died and all its tries; a callback has this time from the end of its job. */
const callbackMs = 120_000;

/** All jobs, once they have finished and no callback is pending; those that have not finished at the latest after `timeoutMs`. */
export async function settledJobs(databaseUrl: string, timeoutMs: number): Promise<JobRow[]> {
  const until = Date.now() + timeoutMs;
  return await withConnection({ connectionString: databaseUrl }, async client => {
    for (;;) {
      const rows = await readJobs(client);
      const lastEnd = Math.max(...rows.map(({ finishedAt }) => finishedAt?.getTime() ?? 0));
      const latest = rows.every(isFinished) ? Math.max(until, lastEnd + callbackMs) : until;
      if (rows.every(isSettled) || Date.now() > latest) return rows;
      await sleep(300);
    }
  });
}

/** The job, once it has finished; at the latest after `timeoutMs`. */
export async function endedJob(databaseUrl: string, id: string, timeoutMs: number): Promise<JobRow | undefined> {
  const until = Date.now() + timeoutMs;
  return await withConnection({ connectionString: databaseUrl }, async client => {
    for (;;) {
      const row = (await readJobs(client)).find(job => job.id === id);
      if (row === undefined || isFinished(row) || Date.now() > until) return row;
      await sleep(1_000);
    }
  });
}

export const isFinished = ({ state }: JobRow): boolean => finalStates.includes(state);

const isSettled = (row: JobRow): boolean => isFinished(row) && row.callback !== 'pending';

const readJobs = async (client: pg.Client): Promise<JobRow[]> => (await client.query<JobRow>(rowsQuery)).rows;
