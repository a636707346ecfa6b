/** Numbers of open and held jobs, and the longest wait, by kind. Reads only small indexes. */
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { z } from 'zod';

const OpenJobCounts = z.object({
  kind: z.string(),
  queued: z.coerce.number(),
  scheduled: z.coerce.number(),
  running: z.coerce.number(),
  held: z.coerce.number(),
  /** Wait of the oldest queued job; 0 without queued jobs. */
  oldestWaitingSeconds: z.coerce.number(),
});
export type OpenJobCounts = z.infer<typeof OpenJobCounts>;

/** One row per kind, in the order of `kinds`. */
export async function countOpenJobs(db: NodePgDatabase, kinds: readonly string[]): Promise<OpenJobCounts[]> {
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
  return z.array(OpenJobCounts).parse(rows);
}
