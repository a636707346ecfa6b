/** How many jobs there are that are not over, and since when the oldest waits: answered from small indexes alone. */
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';

const Census = z.object({
  kind: z.string(),
  queued: z.coerce.number(),
  scheduled: z.coerce.number(),
  running: z.coerce.number(),
  held: z.coerce.number(),
  /** How long the oldest queued job has been waiting; 0 when none is. */
  oldestWaitingSeconds: z.coerce.number(),
});
export type JobCensus = z.infer<typeof Census>;

/** One line for each of the kinds, in their order. */
export async function countJobs(db: NodePgDatabase, kinds: readonly string[]): Promise<JobCensus[]> {
  const { rows } = await db.execute(sql`
    with open as (
      select kind, state, count(*) from job where state in ('queued', 'running') group by kind, state
      union all
      select kind, state, count(*) from job where state = 'scheduled' group by kind, state
      union all
      select kind, state, count(*) from job where state = 'held' group by kind, state
    )
    select wanted.kind,
      coalesce(sum(count) filter (where state = 'queued'), 0) as queued,
      coalesce(sum(count) filter (where state = 'scheduled'), 0) as scheduled,
      coalesce(sum(count) filter (where state = 'running'), 0) as running,
      coalesce(sum(count) filter (where state = 'held'), 0) as held,
      greatest(0, coalesce(extract(epoch from now() - (
        select min(queued_at) from job where job.kind = wanted.kind and job.state = 'queued'
      )), 0)) as "oldestWaitingSeconds"
    from unnest(${sql.param([...kinds])}::text[]) with ordinality as wanted (kind, place)
    left join open using (kind)
    group by wanted.kind, wanted.place
    order by wanted.place`);
  return z.array(Census).parse(rows);
}
