/** One page of a list of jobs, newest first. */
import { z } from 'zod';
import { kindOfJobId } from '../../core/jobs/contract.ts';
import type { JobFilter, JobRecord } from '../../core/jobs/record.ts';
import { cutPage, decodeCursor } from '../http/paging.ts';
import type { ApiServices } from '../services.ts';

const JobCursor = z.object({
  createdAt: z.iso.datetime(),
  id: z.string().refine(id => kindOfJobId(id) !== undefined),
});

/** @throws ServiceError invalid-input when the cursor is not from this list */
export async function jobPage(
  { records }: Pick<ApiServices, 'records'>,
  { limit, cursor, ...filter }: Omit<JobFilter, 'after'> & { cursor?: string | undefined },
): Promise<{ items: JobRecord[]; nextCursor: string | null }> {
  const position = cursor === undefined ? undefined : decodeCursor(cursor, JobCursor);
  const after = position && { id: position.id, createdAt: new Date(position.createdAt) };
  const found = await records.list({ ...filter, limit: limit + 1, after });
  return cutPage(found, limit, ({ createdAt, id }) => ({ createdAt: createdAt.toISOString(), id }));
}
