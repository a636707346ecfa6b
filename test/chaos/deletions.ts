/** Deletes all employee records and restores them from the snapshot, while other jobs run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jobIdIn } from './requests.ts';
import type { ApiRequest, RetryingClient } from './retrying-client.ts';
import { endedJob } from './settled-jobs.ts';

/** The jobs of the deletion and of the restore, and how they differ from the expected ones. */
export interface Deletion {
  jobIds: string[];
  problems: string[];
}

const Report = z.object({
  read: z.int(),
  created: z.int(),
  updated: z.int(),
  deleted: z.int(),
  failed: z.int(),
  snapshotId: z.uuid(),
});
type Report = z.infer<typeof Report>;

const path = '/apps/employees/v1/employees';

/** After each job: other jobs on all employees, whose clients repeat their requests every 3 s, also get their turn. */
const pauseMs = 4_000;

/** @param timeoutMs for each of the two jobs */
export async function deleteAndRestore(
  client: RetryingClient,
  databaseUrl: string,
  timeoutMs: number,
): Promise<Deletion> {
  const jobIds: string[] = [];
  const problems: string[] = [];
  const run = async (request: ApiRequest): Promise<Report | undefined> => {
    // 409 with Retry-After while a resync runs: the client repeats the request.
    const response = await client.send(request, timeoutMs);
    const id = response && jobIdIn(response.body);
    if (id === undefined) {
      problems.push(`${request.method} ${request.path}: ${response?.status} ${response?.body}`);
      return undefined;
    }
    jobIds.push(id);
    const job = await endedJob(databaseUrl, id, timeoutMs);
    await sleep(pauseMs);
    const report = Report.safeParse(job?.result).data;
    if (job?.state !== 'succeeded' || report === undefined || report.failed > 0)
      problems.push(`${id}: ${job?.state}, ${JSON.stringify(job?.result)}`);
    return report;
  };
  const deletion = await run({
    method: 'DELETE',
    path,
    body: { confirm: 'delete-all-employees', onLinked: 'set-left' },
  });
  if (deletion === undefined) return { jobIds, problems };
  const restored = await run({
    method: 'POST',
    path: `${path}/restore`,
    body: { snapshotId: deletion.snapshotId },
  });
  if (restored && deletion.deleted === 0) problems.push(`${jobIds}: nothing was deleted`);
  return { jobIds, problems };
}
