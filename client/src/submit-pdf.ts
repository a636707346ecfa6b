/** Starts a PDF job. */
import { jobOf } from './call.ts';
import type { Job } from './job.ts';
import type { Methods } from './method-types.ts';
import type { operations } from './schema.ts';
import type { CallOptions } from './transport.ts';

type PdfRequest = operations['portal.createNewPdf']['requestBody']['content']['application/json'];

export type PdfListing = PdfRequest['list'][number];

/** Further members of the request, and request options. */
export interface PdfOptions extends Omit<PdfRequest, 'list' | 'validateOnly'>, CallOptions {
  /** `new` (default): two A4 pages per listing; `classic`: one; floor plans add one. */
  design?: 'classic' | 'new';
  /** Requests with the same key and body start one job; default: a new key, so that retries are safe. */
  idempotencyKey?: string | undefined;
}

/** @throws PortalProblem with every input error and its pointer when the request is invalid */
export function submitPdf(
  listings: readonly PdfListing[],
  { portal }: Pick<Methods, 'portal'>,
  { design = 'new', idempotencyKey, signal, timeoutMs, ...request }: PdfOptions = {},
): Promise<Job<'pdf'>> {
  const input = { ...request, list: [...listings] };
  const options = { idempotencyKey, signal, timeoutMs };
  return jobOf(design === 'new' ? portal.createNewPdf(input, options) : portal.createPdf(input, options), 'pdf');
}
