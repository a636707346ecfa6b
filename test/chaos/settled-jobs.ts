/** Waits until all jobs of a chaos run have finished, and reads their rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

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
}

const finalStates = ['succeeded', 'failed', 'cancelled', 'held'];

const rowsQuery = `select job.id, kind, job.state, client_id as "clientId", attempts_made as "attemptsMade",
    replace(error->>'type', 'urn:portal-service:problem:', '') as problem, error->>'detail' as detail,
    exists (select from job_plan where job_id = job.id) as "hasPlan", result,
    (select delivery.state from job_callback as delivery where delivery.job_id = job.id) as callback
  from job order by job.created_at`;

/** All jobs, once they have finished and no callback is pending; at the latest after `timeoutMs`. */
export async function settledJobs(databaseUrl: string, timeoutMs: number): Promise<JobRow[]> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const rows = await readJobs(databaseUrl);
    if (rows.every(isSettled) || Date.now() > until) return rows;
    await sleep(300);
  }
}

/** The job, once it has finished; at the latest after `timeoutMs`. */
export async function endedJob(databaseUrl: string, id: string, timeoutMs: number): Promise<JobRow | undefined> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const row = (await readJobs(databaseUrl)).find(job => job.id === id);
    if (row === undefined || isFinished(row) || Date.now() > until) return row;
    await sleep(1_000);
  }
}

export const isFinished = ({ state }: JobRow): boolean => finalStates.includes(state);

const isSettled = (row: JobRow): boolean => isFinished(row) && row.callback !== 'pending';

async function readJobs(databaseUrl: string): Promise<JobRow[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<JobRow>(rowsQuery)).rows;
  } finally {
    await client.end();
  }
}
