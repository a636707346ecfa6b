/** Renders one page of one listing as an image, as it would be printed. */
import { jobOf, type Service } from './call.ts';
import { type Download, downloadOf, downloadResult } from './download.ts';
import { problemFrom } from './portal-problem.ts';
import type { paths } from './schema.ts';
import type { PdfListing } from './submit-pdf.ts';
import { waitForJob } from './wait-for-job.ts';

type PreviewRequest = paths['/apps/portal/v1/pdf/preview']['post']['requestBody']['content']['application/json'];

export interface PreviewOptions extends Omit<PreviewRequest, 'list' | 'validateOnly' | 'callback' | 'startBy'> {
  /** Default: PNG. A JPEG is ready sooner and has a fifth of the bytes. */
  format?: 'png' | 'jpeg';
  signal?: AbortSignal;
}

/** @throws PortalProblem with every input error when the listing is invalid, or with the reason why the job failed */
export async function preview(
  listing: PdfListing,
  service: Service,
  { format = 'png', signal, ...body }: PreviewOptions = {},
): Promise<Download> {
  const { error, response } = await service.api.POST('/apps/portal/v1/pdf/preview', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    headers: { accept: `image/${format}` },
    body: { ...body, list: [listing] },
    parseAs: 'stream',
    ...(signal && { signal }),
  });
  if (!response.ok) throw problemFrom(response, error);
  if (response.status !== 202) return downloadOf(response);
  // The service answers with the job when its workers are busy for longer than the request may take.
  const { id } = await jobOf(Promise.resolve({ data: await response.json(), response }));
  await waitForJob(id, service, { ...(signal && { signal }) });
  return await downloadResult(id, service, { ...(signal && { signal }) });
}
