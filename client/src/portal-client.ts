/** The client of Portal Service: every operation of its API, typed, and shortcuts for frequent tasks. */
import createClient from 'openapi-fetch';
import { accessTokens, authorizedFetch, type Credentials } from './access-token.ts';
import { type Download, type DownloadOptions, downloadResult } from './download.ts';
import type { Job } from './job.ts';
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
  submitPdf(listings: readonly PdfListing[], options?: PdfOptions): Promise<Job>;
  /**
   * Waits until the job has ended or is held. Returns a failed job, too, with its problem as `error`.
   * @throws PortalProblem such as 404 for an unknown job; the signal's reason; DOMException `TimeoutError`
   */
  waitForJob(job: Job | string, options?: WaitOptions): Promise<Job>;
  /**
   * Downloads the result of a job: a PDF, or a report as JSON.
   * @throws PortalProblem such as 409 while there is no result, 410 after its retention time
   */
  download(job: Job | string, options?: DownloadOptions): Promise<Download>;
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
  const idOf = (job: Job | string): string => (typeof job === 'string' ? job : job.id);
  return {
    api,
    submitPdf: (listings, pdfOptions) => submitPdf(listings, service, pdfOptions),
    waitForJob: (job, waitOptions) => waitForJob(idOf(job), service, waitOptions),
    download: (job, downloadOptions) => downloadResult(idOf(job), service, downloadOptions),
  };
}
