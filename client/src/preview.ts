/** Renders one page of one listing as an image, as it would be printed. */
import { jobOf } from './call.ts';
import { type Download, downloadOf } from './download.ts';
import { downloadResult } from './download-result.ts';
import { respond } from './methods.ts';
import { routeById } from './route.ts';
import type { operations } from './schema.ts';
import type { Service } from './service.ts';
import type { PdfListing } from './submit-pdf.ts';
import type { CallOptions } from './transport.ts';
import { waitForJob } from './wait-for-job.ts';

type PreviewRequest = operations['portal.previewPdf']['requestBody']['content']['application/json'];

export interface PreviewOptions
  extends Omit<PreviewRequest, 'list' | 'validateOnly' | 'callback' | 'startBy'>,
    CallOptions {
  /** Default: PNG. A JPEG is ready sooner and has a fifth of the bytes. */
  format?: 'png' | 'jpeg';
}

/** @throws PortalProblem with every input error when the listing is invalid, or with the reason why the job failed */
export async function preview(
  listing: PdfListing,
  service: Service,
  { format = 'png', signal, timeoutMs, ...request }: PreviewOptions = {},
): Promise<Download> {
  const limits = { signal, timeoutMs };
  const response = await respond(service, {
    route: routeById('portal.previewPdf'),
    input: { ...request, list: [listing] },
    options: { ...limits, headers: { accept: `image/${format}` } },
  });
  if (response.status !== 202) return downloadOf(response);
  // The service answers with the job when its workers are busy for longer than the request may take.
  const { id } = await jobOf(response.json());
  await waitForJob(id, service, limits);
  return await downloadResult(id, service.methods, limits);
}
