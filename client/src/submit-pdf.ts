/** Starts a PDF job. */
import { jobOf, type Service } from './call.ts';
import type { Job } from './job.ts';
import type { paths } from './schema.ts';

type PdfRequest = paths['/apps/portal/v1/pdf-new']['post']['requestBody']['content']['application/json'];

export type PdfListing = PdfRequest['list'][number];

/** Further members of the request, and request options. */
export interface PdfOptions extends Omit<PdfRequest, 'list' | 'validateOnly'> {
  /** `new` (default): two A4 pages per listing; `classic`: one; floor plans add one. */
  design?: 'classic' | 'new';
  /** Requests with the same key and body start one job; default: a new key, so that retries are safe. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

const designPaths = { classic: '/apps/portal/v1/pdf', new: '/apps/portal/v1/pdf-new' } as const;

/** @throws PortalProblem with every input error and its pointer when the request is invalid */
export function submitPdf(
  listings: readonly PdfListing[],
  { api }: Service,
  { design = 'new', idempotencyKey = crypto.randomUUID(), signal, ...body }: PdfOptions = {},
): Promise<Job<'pdf'>> {
  return jobOf(
    api.POST(designPaths[design], {
      params: { header: { 'Idempotency-Key': idempotencyKey } },
      body: { ...body, list: [...listings] },
      ...(signal && { signal }),
    }),
    'pdf',
  );
}
