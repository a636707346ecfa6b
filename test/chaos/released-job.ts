/** Runs a job, and releases it if it is held. */
import { jobIdIn } from './requests.ts';
import type { ApiRequest, RetryingClient } from './retrying-client.ts';
import { endedJob, type JobRow } from './settled-jobs.ts';

/** @returns the job once it has finished; at the latest after `timeoutMs` each for its run and its release */
export async function releasedJob(
  client: RetryingClient,
  databaseUrl: string,
  request: ApiRequest,
  timeoutMs: number,
): Promise<JobRow | undefined> {
  const response = await client.send(request, timeoutMs);
  const id = response && jobIdIn(response.body);
  if (id === undefined) return undefined;
  const row = await endedJob(databaseUrl, id, timeoutMs);
  if (row?.state !== 'held') return row;
  await client.send({ method: 'POST', path: `/jobs/${id}/release`, body: {} }, timeoutMs);
  return await endedJob(databaseUrl, id, timeoutMs);
}
