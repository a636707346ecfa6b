/** A run that has succeeded puts the plans out of date that were held before it. */
import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../postgres/session.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { problemOf } from '../../runtime/problem.ts';
import { jobTable } from '../schema/jobs.ts';
import { countEnd, endColumns, now } from './rows.ts';

/**
 * Cancels the held jobs of the exclusive key of a job that has just succeeded. No time is compared: while a key's job
 * is open no other of the key runs, so whatever is held now had made its plan before this run began.
 */
export async function supersedeHeld(db: Db, byJobId: string): Promise<void> {
  const problem = problemOf(
    new ServiceError(
      'job-superseded',
      `The job is superseded: ${byJobId} did the same work later and succeeded, so that the held plan is out of date.`,
    ),
    '',
  );
  const superseded = await db
    .update(jobTable)
    .set({
      state: 'cancelled',
      finishedAt: now,
      error: sql`${JSON.stringify(problem)}::jsonb || jsonb_build_object('instance', '/jobs/' || ${jobTable.id})`,
    })
    .where(
      and(
        eq(jobTable.state, 'held'),
        sql`(${jobTable.kind}, ${jobTable.exclusiveKey}) = (select kind, exclusive_key from job where id = ${byJobId})`,
      ),
    )
    .returning(endColumns);
  for (const job of superseded) countEnd(job);
}
