/** Downloads the result of a job. */
import type { Download } from './download.ts';
import { idOf, type JobRef } from './job.ts';
import type { Methods } from './method-types.ts';
import type { CallOptions } from './transport.ts';

export interface DownloadOptions extends CallOptions {
  /** One of `result.files` by its name; absent: the whole result. */
  file?: string | undefined;
}

/** @throws PortalProblem such as 409 while there is no result, 410 after its retention time */
export function downloadResult(
  job: JobRef,
  { jobs }: Methods,
  { file, ...options }: DownloadOptions = {},
): Promise<Download> {
  const id = idOf(job);
  return file === undefined ? jobs.getResult({ id }, options) : jobs.getResultFile({ id, name: file }, options);
}
