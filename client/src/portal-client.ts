/** The client of Portal Service: every operation of its API as a method, and shortcuts for frequent tasks. */
import { accessTokens, authorized, type ClientCredentials, type TokenSource, tokensOf } from './access-token.ts';
import { cancelJob, type RetryJobOptions, retryJob } from './control-job.ts';
import type { Download } from './download.ts';
import { type DownloadOptions, downloadResult } from './download-result.ts';
import { InvalidOption } from './errors.ts';
import type { Job, JobKind, JobRef } from './job.ts';
import type { Methods } from './method-types.ts';
import { methodsOf } from './methods.ts';
import { type PreviewOptions, preview } from './preview.ts';
import { type PortalApi, rawApi } from './raw-api.ts';
import { type PdfListing, type PdfOptions, submitPdf } from './submit-pdf.ts';
import { type CallOptions, limited, retrying } from './transport.ts';
import { withUserAgent } from './user-agent.ts';
import { type WaitOptions, waitForJob } from './wait-for-job.ts';

interface ConnectionOptions {
  /** The service's address with its base path, such as `https://portal.example/v2`. */
  baseUrl: string;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Maximum number of retries of a request that is safe to repeat; default 5. */
  retries?: number | undefined;
  /** A response with a longer `Retry-After` is not retried but thrown as a problem; in seconds, default 60. */
  longestWaitSeconds?: number | undefined;
  /** Time limit of each call with its retries, in ms; default 120 000. */
  timeoutMs?: number | undefined;
}

/** Credentials of a client, or a source of tokens. */
export type PortalClientOptions = ConnectionOptions & (ClientCredentials | TokenSource);

/** The operations by id, such as `crm.createLead(input, options)`. */
export interface PortalClient extends Methods {
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
   * @throws PortalProblem such as 404 for an unknown job; PortalTimeoutError; the signal's reason
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
  cancel<K extends JobKind = JobKind>(job: JobRef<K>, options?: CallOptions): Promise<Job<K>>;
  /**
   * Runs a failed or cancelled job again, under the same id.
   * @throws PortalProblem such as 409 for a job in another state
   */
  retry<K extends JobKind = JobKind>(job: JobRef<K>, options?: RetryJobOptions): Promise<Job<K>>;
}

/** @throws InvalidOption */
export function createPortalClient(options: PortalClientOptions): PortalClient {
  requireOptions(options);
  const { retries = 5, longestWaitSeconds = 60, timeoutMs = 120_000 } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const fetch = withUserAgent(options.fetch ?? globalThis.fetch);
  const retryOptions = { retries, longestWaitSeconds };
  // The token request is a POST that is safe to repeat: an additional token has no effect.
  const tokenTransport = retrying(fetch, retryOptions, () => true);
  const tokens =
    'token' in options ? tokensOf(options) : accessTokens(baseUrl, options, limited(tokenTransport, timeoutMs));
  const send = limited(authorized(retrying(fetch, retryOptions), tokens), timeoutMs);
  const server = { baseUrl, send };
  const methods = methodsOf(server);
  const service = { ...server, methods };
  return {
    ...methods,
    api: rawApi(server),
    submitPdf: (listings, pdfOptions) => submitPdf(listings, methods, pdfOptions),
    waitForJob: (job, waitOptions) => waitForJob(job, service, waitOptions),
    preview: (listing, previewOptions) => preview(listing, service, previewOptions),
    download: (job, downloadOptions) => downloadResult(job, methods, downloadOptions),
    cancel: (job, callOptions) => cancelJob(job, methods, callOptions),
    retry: (job, retryJobOptions) => retryJob(job, methods, retryJobOptions),
  };
}

/** Options often come from environment variables, which may be missing or empty. */
function requireOptions(options: PortalClientOptions): void {
  // Callers without TypeScript may pass nothing.
  const baseUrl: unknown = options?.baseUrl;
  if (typeof baseUrl !== 'string' || !/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new InvalidOption(
      `"baseUrl" must be the address of the service with its base path, such as https://portal.example/v2; it was ${JSON.stringify(baseUrl)}.`,
    );
  }
  if ('token' in options) {
    if (typeof options.token !== 'function')
      throw new InvalidOption('"token" must be a function that returns a token.');
    return;
  }
  for (const name of ['clientId', 'clientSecret'] as const) {
    const value: unknown = options[name];
    if (typeof value !== 'string' || value === '')
      throw new InvalidOption(`"${name}" must not be empty, unless "token" is given.`);
  }
}
