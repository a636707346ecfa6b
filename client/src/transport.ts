/** Sends requests: retries those that are safe to repeat, and limits the time of each call. */
import { type Deadline, deadline, pause } from './abortable.ts';
import { PortalConnectionError, PortalTimeoutError, withoutQuery } from './errors.ts';
import { retryAfterSeconds } from './portal-problem.ts';

export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of the call with its retries, in ms; of a file: until its first bytes. Default: that of the client. */
  timeoutMs?: number | undefined;
}

export interface MethodOptions extends CallOptions {
  /** Requests with the same key and input have one effect. Default: a new key, so that retries are safe. */
  idempotencyKey?: string | undefined;
  /** Further headers, such as `prefer` or `accept`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface SendOptions extends Pick<CallOptions, 'timeoutMs'> {
  /** `file`: the body is not read here. `events`: nor is the request retried, because the caller reconnects. */
  expects?: 'json' | 'file' | 'events';
  /** Without a token: OAuth endpoints have the credentials in the form. */
  isAnonymous?: boolean;
}

/** @throws PortalConnectionError, PortalTimeoutError, or the reason of the request's signal */
export type Send = (request: Request, options?: SendOptions) => Promise<Response>;

export interface RetryOptions {
  /** Maximum number of retries of a request. */
  retries: number;
  /** A response with a longer `Retry-After` is returned instead of retried; in seconds. */
  longestWaitSeconds: number;
}

/** A request on its way, with the end of its time limit in ms since 1970. */
export interface Sending {
  request: Request;
  endsAt: number;
  expects: NonNullable<SendOptions['expects']>;
  isAnonymous: boolean;
}

export type Transport = (sending: Sending) => Promise<Response>;

const retriedStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];
const firstBackoffMs = 500;

/** Limits the time of each call. */
export function limited(transport: Transport, defaultMs: number): Send {
  return async (request, { timeoutMs = defaultMs, expects = 'json', isAnonymous = false } = {}) => {
    const { method, url, signal } = request;
    const late = new PortalTimeoutError(`${method} ${withoutQuery(url)} took longer than ${timeoutMs} ms.`, timeoutMs);
    const limit = deadline(timeoutMs, late, signal);
    const endsAt = Date.now() + timeoutMs;
    const sending = { request: new Request(request, { signal: limit.signal }), endsAt, expects, isAnonymous };
    const response = await transport(sending).catch((error: unknown) => {
      limit.release();
      throw error;
    });
    return endLimit(response, limit, expects);
  };
}

/** The caller can still abort the body of a file. */
function endLimit(response: Response, limit: Deadline, expects: Sending['expects']): Response {
  if (expects === 'json' && isJson(response)) limit.release();
  else limit.lift();
  return response;
}

/** Reads, and requests that the service deduplicates by `Idempotency-Key`. */
const isSafeToRepeat = ({ method, headers }: Request): boolean =>
  ['GET', 'HEAD'].includes(method) || headers.has('idempotency-key');

/** @param isRepeatable allows further requests to be repeated */
export function retrying(
  fetch: typeof globalThis.fetch,
  { retries, longestWaitSeconds }: RetryOptions,
  isRepeatable: (request: Request) => boolean = () => false,
): Transport {
  return async ({ request, endsAt, expects }) => {
    const isRetried = expects !== 'events' && (isSafeToRepeat(request) || isRepeatable(request));
    const maxRetries = isRetried ? retries : 0;
    for (let tries = 0; ; tries += 1) {
      const last = tries >= maxRetries;
      const response = await attempt(fetch, last ? request : request.clone(), expects).catch((error: unknown) => {
        // Other errors would repeat.
        if (last || !(error instanceof PortalConnectionError)) throw error;
        return undefined;
      });
      if (response && (last || !mayRetry(request, response, tries))) return response;
      const seconds = (response && retryAfterSeconds(response.headers)) ?? backoffSeconds(tries);
      const isTooLong = seconds > longestWaitSeconds || Date.now() + seconds * 1_000 >= endsAt;
      if (response && isTooLong) return response;
      await response?.body?.cancel();
      await pause(seconds * 1_000, request.signal);
    }
  };
}

function mayRetry({ headers }: Request, response: Response, tries: number): boolean {
  // The first try, whose answer was lost, may still be in progress.
  const isInProgress = tries > 0 && response.status === 409 && headers.has('idempotency-key');
  return retriedStatuses.includes(response.status) || (isInProgress && response.headers.has('retry-after'));
}

/** A JSON body is read here, so that a connection that breaks meanwhile counts as a failed attempt. */
async function attempt(
  fetch: typeof globalThis.fetch,
  request: Request,
  expects: Sending['expects'],
): Promise<Response> {
  try {
    const response = await fetch(request);
    if (expects !== 'json' || !isJson(response)) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.text(), { status, statusText, headers });
  } catch (error) {
    request.signal.throwIfAborted();
    // A failed connection is a TypeError.
    throw error instanceof TypeError ? new PortalConnectionError(request, error) : error;
  }
}

const isJson = ({ status, headers }: Response): boolean =>
  status >= 200 &&
  ![204, 205, 304].includes(status) &&
  /^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '');

/** Half a second, doubled each time, with jitter. */
const backoffSeconds = (tries: number): number => (firstBackoffMs / 1_000) * 2 ** tries * (0.5 + Math.random() / 2);
