/** Ends held jobs that nobody has decided on for a long time: what they planned is out of date. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../postgres/client.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { problemOf } from '../../runtime/problem.ts';
import { jobTable as job } from '../schema/jobs.ts';
import { jobPlanTable as plan } from '../schema/plans.ts';

/** Cancels the longest held ones, `limit` at most, with the reason as their error. @returns how many there were */
export async function endOldHeldJobs(database: Database, days: number, limit: number): Promise<number> {
  const problem = problemOf(
    new ServiceError(
      'job-not-released',
      `Nobody released the job within ${days} days; what it was about to do is out of date. Run it again to have it planned anew.`,
    ),
    '',
  );
  const { rowCount } = await database.execute(sql`
    update ${job} set state = 'cancelled', finished_at = now(), touched_at = now(),
      error = ${JSON.stringify(problem)}::jsonb || jsonb_build_object('instance', '/jobs/' || ${job.id})
    where ${job.state} = 'held' and ${job.id} in (
      select ${job.id} from ${job} join ${plan} on ${plan.jobId} = ${job.id}
      where ${job.state} = 'held' and ${plan.heldAt} < now() - ${days} * interval '1 day'
      order by ${plan.heldAt} limit ${limit} for update of ${job} skip locked)`);
  return rowCount ?? 0;
}
