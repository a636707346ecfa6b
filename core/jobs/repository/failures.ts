/** Failed jobs by cause: kind, type of the problem, and the call to an outside system that it came from. */
import { and, countDistinct, desc, eq, gt, lte, max, min, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { FailureCause } from '../record.ts';
import { jobTable as job } from '../schema.ts';

/** The last part of the problem's type, which earlier versions wrote as a URN. */
const problem = sql<string>`coalesce(substring(${job.error} ->> 'type' from '[^:/]+$'), 'unknown')`;
const system = sql<string>`coalesce(${job.error} #>> '{upstream,system}', '')`;
/** Ids in paths are replaced, so that calls for several items are one operation. */
const operation = sql<string>`regexp_replace(
  coalesce(${job.error} #>> '{upstream,operation}', ''), '/[^/ ]*[0-9]{2}[^/ ]*', '/{id}', 'g')`;

export const failedBy = (cause: FailureCause): SQL | undefined =>
  and(
    eq(job.state, 'failed'),
    eq(problem, cause.problem),
    eq(system, cause.system),
    eq(operation, cause.operation),
    cause.after && gt(job.finishedAt, cause.after),
    cause.until && lte(job.finishedAt, cause.until),
  );

export type FailureGroup = Awaited<ReturnType<typeof failureGroups>>[number];

/** The causes of the jobs that failed after a time; the most frequent cause first. */
export function failureGroups(db: NodePgDatabase, after: Date, limit: number) {
  const newest = <T>(value: SQL<T>): SQL<T> => sql<T>`(array_agg(${value} order by ${job.finishedAt} desc))[1]`;
  const count = sql<number>`count(*)::int`;
  return db
    .select({
      kind: job.kind,
      problem,
      system,
      operation,
      count,
      clients: countDistinct(job.clientId),
      firstAt: min(job.finishedAt),
      lastAt: max(job.finishedAt),
      jobId: newest(sql<string>`${job.id}`),
      pointer: newest(sql<string | null>`${job.error} #>> '{errors,0,pointer}'`),
      title: newest(sql<string | null>`${job.error} ->> 'title'`),
      detail: newest(sql<string | null>`${job.error} ->> 'detail'`),
      status: newest(sql<string | null>`${job.error} #>> '{upstream,status}'`),
    })
    .from(job)
    .where(and(eq(job.state, 'failed'), gt(job.finishedAt, after)))
    .groupBy(job.kind, problem, system, operation)
    .orderBy(desc(count), desc(max(job.finishedAt)))
    .limit(limit);
}
