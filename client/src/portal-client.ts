/** The client of Portal Service: every operation of its API, typed; and what a portal does most, in one call each. */
import createClient, { type Client } from 'openapi-fetch';
import { accessTokens, type Credentials } from './access-token.ts';
import { authorizedFetch } from './authorized-fetch.ts';
import { type Download, type DownloadOptions, downloadResult } from './download.ts';
import type { Job } from './job.ts';
import { patientFetch } from './patient-fetch.ts';
import type { paths } from './schema.ts';
import { type PdfListing, type PdfOptions, submitPdf } from './submit-pdf.ts';
import { type WaitOptions, waitForJob } from './wait-for-job.ts';

export interface PortalClientOptions extends Credentials {
  /** The service's address with its base path, such as `https://portal.example/v2`. */
  baseUrl: string;
  /** Used in place of the global one. */
  fetch?: typeof globalThis.fetch;
  /** How often a request is sent again while the service answers 429 or 503, or not at all; default 5. */
  retries?: number;
  /** A `Retry-After` that is longer than this is not waited for: the problem is thrown; in seconds, default 60. */
  longestWaitSeconds?: number;
}

export interface PortalClient {
  /** Every operation, by method and path; answers `{ data, error, response }`, which `dataOf` turns into data or a `PortalProblem`. */
  api: Client<paths>;
  /**
   * Has listings printed as one PDF, once, however often it has to be asked for.
   * @throws PortalProblem with every fault and its pointer when the request is refused
   */
  submitPdf(listings: readonly PdfListing[], options?: PdfOptions): Promise<Job>;
  /**
   * Waits until the job has ended or is held. A job that failed is returned as well, with its problem as `error`.
   * @throws PortalProblem such as 404 for a job that is gone; the signal's reason; DOMException `TimeoutError`
   */
  waitForJob(job: Job | string, options?: WaitOptions): Promise<Job>;
  /**
   * What the job made: a PDF, or a report as JSON.
   * @throws PortalProblem such as 409 while there is no result, 410 when it is no longer kept
   */
  download(job: Job | string, options?: DownloadOptions): Promise<Download>;
}

export function createPortalClient(options: PortalClientOptions): PortalClient {
  const { fetch = globalThis.fetch, retries = 5, longestWaitSeconds = 60 } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const patience = { retries, longestWaitSeconds };
  // A token is asked for with a POST that may be repeated: a token more does no harm.
  const tokens = accessTokens(
    baseUrl,
    options,
    patientFetch(fetch, patience, () => true),
  );
  const patient = patientFetch(authorizedFetch(fetch, tokens), patience);
  const api = createClient<paths>({ baseUrl, fetch: patient });
  const service = { baseUrl, fetch: patient, api };
  const idOf = (job: Job | string): string => (typeof job === 'string' ? job : job.id);
  return {
    api,
    submitPdf: (listings, pdfOptions) => submitPdf(listings, service, pdfOptions),
    waitForJob: (job, waitOptions) => waitForJob(idOf(job), service, waitOptions),
    download: (job, downloadOptions) => downloadResult(idOf(job), service, downloadOptions),
  };
}
