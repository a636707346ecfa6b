/** The client of Portal Service: every operation of its API, typed, and shortcuts for frequent tasks. */
import createClient from 'openapi-fetch';
import { accessTokens, authorizedFetch, type Credentials } from './access-token.ts';
import { type ControlOptions, cancelJob, type RetryJobOptions, retryJob } from './control-job.ts';
import { type Download, type DownloadOptions, downloadResult } from './download.ts';
import { type ItemOf, itemsOf, type ListInit, type ListPath } from './items.ts';
import { idOf, type Job, type JobKind, type JobRef } from './job.ts';
import { type PreviewOptions, preview } from './preview.ts';
import { retryingFetch } from './retrying-fetch.ts';
import type { paths } from './schema.ts';
import { type PortalApi, strict } from './strict-api.ts';
import { type PdfListing, type PdfOptions, submitPdf } from './submit-pdf.ts';
import { type WaitOptions, waitForJob } from './wait-for-job.ts';

export interface PortalClientOptions extends Credentials {
  /** The service's address with its base path, such as `https://portal.example/v2`. */
  baseUrl: string;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch;
  /** Maximum number of retries of a request after 429, 503 or a failed connection; default 5. */
  retries?: number;
  /** A response with a longer `Retry-After` is not retried but thrown as a problem; in seconds, default 60. */
  longestWaitSeconds?: number;
}

export interface PortalClient {
  /** Every operation, by method and path; returns `{ data, error, response }`, which `dataOf` turns into data or a `PortalProblem`. */
  api: PortalApi;
  /**
   * Starts a job that prints listings as one PDF; retries do not start a second job.
   * @throws PortalProblem with every input error and its pointer when the request is invalid
   */
  submitPdf(listings: readonly PdfListing[], options?: PdfOptions): Promise<Job<'pdf'>>;
  /**
   * Renders one page of one listing as PNG.
   * @throws PortalProblem with every input error and its pointer when the listing is invalid
   */
  preview(listing: PdfListing, options?: PreviewOptions): Promise<Download>;
  /**
   * Waits until the job has ended or is held. Returns a failed job, too, with its problem as `error`.
   * @throws PortalProblem such as 404 for an unknown job; the signal's reason; DOMException `TimeoutError`
   */
  waitForJob<K extends JobKind = JobKind>(job: JobRef<K>, options?: WaitOptions<NoInfer<K>>): Promise<Job<K>>;
  /**
   * Downloads the result of a job: a PDF, or a report as JSON.
   * @throws PortalProblem such as 409 while there is no result, 410 after its retention time
   */
  download(job: JobRef, options?: DownloadOptions): Promise<Download>;
  /**
   * Cancels a job; a running one stops within seconds, an ended one does not change. Returns its state after the request.
   * @throws PortalProblem such as 404 for an unknown job
   */
  cancel<K extends JobKind = JobKind>(job: JobRef<K>, options?: ControlOptions): Promise<Job<K>>;
  /**
   * Runs a failed or cancelled job again, under the same id.
   * @throws PortalProblem such as 409 for a job in another state
   */
  retry<K extends JobKind = JobKind>(job: JobRef<K>, options?: RetryJobOptions): Promise<Job<K>>;
  /**
   * Iterates over all items of a list, from its first page or `cursor` on; takes the arguments of `api.GET`.
   * @throws PortalProblem such as 403 without the scope
   */
  items<Path extends ListPath>(
    path: Path,
    ...init: undefined extends ListInit<Path> ? [init?: ListInit<Path>] : [init: ListInit<Path>]
  ): AsyncGenerator<ItemOf<Path>, void>;
}

export function createPortalClient(options: PortalClientOptions): PortalClient {
  const { fetch = globalThis.fetch, retries = 5, longestWaitSeconds = 60 } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const retryOptions = { retries, longestWaitSeconds };
  // The token request is a POST that is safe to repeat: an additional token has no effect.
  const tokens = accessTokens(
    baseUrl,
    options,
    retryingFetch(fetch, retryOptions, () => true),
  );
  const retrying = retryingFetch(authorizedFetch(fetch, tokens), retryOptions);
  const api = strict(createClient<paths>({ baseUrl, fetch: retrying }));
  const service = { baseUrl, fetch: retrying, api };
  return {
    api,
    submitPdf: (listings, pdfOptions) => submitPdf(listings, service, pdfOptions),
    waitForJob: (job, waitOptions) => waitForJob(job, service, waitOptions),
    preview: (listing, previewOptions) => preview(listing, service, previewOptions),
    download: (job, downloadOptions) => downloadResult(idOf(job), service, downloadOptions),
    cancel: (job, controlOptions) => cancelJob(job, service, controlOptions),
    retry: (job, retryJobOptions) => retryJob(job, service, retryJobOptions),
    items: (path, ...[init]) => itemsOf(api, path, init),
  };
}
