/** The job rows of a chaos run: waited for until nothing is under way any more, and looked at then. */
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
  /** Whether a plan is kept for whom it may concern. */
  hasPlan: boolean;
  result: unknown;
  callback: string | null;
}

const atRest = ['succeeded', 'failed', 'cancelled', 'held'];

const rowsQuery = `select job.id, kind, job.state, client_id as "clientId", attempts_made as "attemptsMade",
    replace(error->>'type', 'urn:portal-service:problem:', '') as problem, error->>'detail' as detail,
    exists (select from job_plan where job_id = job.id) as "hasPlan", result,
    (select told.state from job_callback as told where told.job_id = job.id) as callback
  from job order by job.created_at`;

/** All jobs there are, once all are at rest and all receivers told, or patience is at its end. */
export async function settledJobs(databaseUrl: string, patienceMs: number): Promise<JobRow[]> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const rows = await readJobs(databaseUrl);
    if (rows.every(isSettled) || Date.now() > until) return rows;
    await sleep(300);
  }
}

export const isAtRest = ({ state }: JobRow): boolean => atRest.includes(state);

const isSettled = (row: JobRow): boolean => isAtRest(row) && row.callback !== 'pending';

async function readJobs(databaseUrl: string): Promise<JobRow[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<JobRow>(rowsQuery)).rows;
  } finally {
    await client.end();
  }
}
