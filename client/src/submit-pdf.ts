/** Has listings printed. */
import { jobOf, type Service } from './call.ts';
import type { Job } from './job.ts';
import type { paths } from './schema.ts';

type PdfRequest = paths['/apps/portal/v1/pdf-new']['post']['requestBody']['content']['application/json'];

export type PdfListing = PdfRequest['list'][number];

/** What the request for a PDF may say besides the listings, and how it is sent. */
export interface PdfOptions extends Omit<PdfRequest, 'list' | 'validateOnly'> {
  /** `new`: two A4 pages a listing, the default; `classic`: one. */
  design?: 'classic' | 'new';
  /** The same key and request are one job; absent: a new key, so that the request can be sent again while the service is busy. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

const designPaths = { classic: '/apps/portal/v1/pdf', new: '/apps/portal/v1/pdf-new' } as const;

/** @throws PortalProblem with every fault and its pointer when the request is refused */
export function submitPdf(
  listings: readonly PdfListing[],
  { api }: Service,
  { design = 'new', idempotencyKey = crypto.randomUUID(), signal, ...terms }: PdfOptions = {},
): Promise<Job> {
  return jobOf(
    api.POST(designPaths[design], {
      params: { header: { 'Idempotency-Key': idempotencyKey } },
      body: { ...terms, list: [...listings] },
      ...(signal && { signal }),
    }),
  );
}
