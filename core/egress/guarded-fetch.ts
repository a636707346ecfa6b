/** The one way to fetch an address that came from outside: public places only, bounded in time, bytes and redirects. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { Agent } from 'undici';
import { timeBound, untilAborted } from '../runtime/timeout.ts';
import type { AllowRule } from './allow-rules.ts';
import { checkRedirect, checkUrl } from './check-url.ts';
import { EgressRefused } from './egress-refused.ts';
import { guardedConnector, type Resolve, systemResolve } from './guarded-connect.ts';
import { readBody } from './read-body.ts';

export interface GuardedFetchOptions {
  /** Exceptions to the guard, from EgressConfig. */
  allow?: readonly AllowRule[];
  /** How names become addresses; the system's resolver unless given. */
  resolve?: Resolve;
  logger?: Logger;
}

export interface GuardedRequest {
  /** Bound of the body, compressed and plain. */
  maxBytes: number;
  /** From the first look-up to the last byte, redirects included. */
  timeoutMs: number;
  signal?: AbortSignal;
  method?: 'GET' | 'POST';
  /** Sent to the first origin only; after a redirect elsewhere just `accept` is kept. Names in lower case. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** 3 unless given. A POST is never sent on, whatever this says. */
  maxRedirects?: number;
}

export interface GuardedAnswer {
  /** 200 to 299. */
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** Where the answer came from in the end. */
  url: string;
}

export interface GuardedFetch {
  /**
   * @throws EgressRefused for anything but a 2xx answer within the bounds
   * @throws the signal's reason when it is aborted
   */
  fetch(url: string, request: GuardedRequest): Promise<GuardedAnswer>;
  /** Breaks off what is under way and closes every connection. */
  close(): Promise<void>;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A body of a redirect or refusal up to this size is read to its end, so that the connection can be used again. */
const drainedBytes = 64_000;

/** Opens a fetcher; it keeps connections, so make one a process. It sends no cookies and knows no proxy. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const rules = options.allow ?? [];
  const agent = new Agent({
    connect: guardedConnector(rules, options.resolve ?? systemResolve),
    pipelining: 1,
  });

  async function follow(first: URL, request: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> {
    const method = request.method ?? 'GET';
    const maxRedirects = method === 'GET' ? (request.maxRedirects ?? 3) : 0;
    let url = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const { statusCode, headers, body } = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headersFor(url, first, request.headers ?? {}),
        body: request.body ?? null,
        signal,
      });
      if (statusCode >= 200 && statusCode <= 299) {
        const bytes = await readBody(body, headers, request.maxBytes);
        return { status: statusCode, headers, bytes, url: url.href };
      }
      await body.dump({ limit: drainedBytes, signal });
      if (!redirectStatuses.has(statusCode)) {
        throw new EgressRefused('status', `the server answered ${statusCode}`, { status: statusCode });
      }
      url = checkRedirect(url, headers.location, rules);
    }
    throw new EgressRefused(
      'redirects',
      maxRedirects === 0 ? 'the server redirects, which is not followed' : 'the server redirects too often',
    );
  }

  return {
    async fetch(text, request) {
      request.signal?.throwIfAborted();
      const bound = timeBound(request.timeoutMs, request.signal);
      try {
        // Undici hears the signal only once it is connected, so the time is watched here as well.
        return await untilAborted(follow(checkUrl(text, rules), request, bound.signal), bound.signal);
      } catch (error) {
        request.signal?.throwIfAborted();
        const refusal = bound.isOver() ? tooSlow(request.timeoutMs, error) : asRefusal(error);
        options.logger?.debug({ host: hostOf(text), reason: refusal.reason, err: refusal }, 'egress refused');
        throw refusal;
      } finally {
        bound.release();
      }
    },
    close: () => agent.destroy(),
  };
}

/** What the caller adds (tokens, signatures) is meant for the first origin alone. */
function headersFor(url: URL, first: URL, given: Readonly<Record<string, string>>): Record<string, string> {
  const ours = { 'user-agent': 'portal-service', accept: '*/*', 'accept-encoding': 'identity' };
  if (url.origin === first.origin) return { ...ours, ...given };
  return { ...ours, ...(given.accept !== undefined && { accept: given.accept }) };
}

function tooSlow(timeoutMs: number, cause: unknown): EgressRefused {
  return new EgressRefused('timeout', `the server took longer than ${timeoutMs / 1_000} s`, { cause });
}

/** What is no refusal of ours is a failure of the network or of the other side. */
function asRefusal(error: unknown): EgressRefused {
  if (error instanceof EgressRefused) return error;
  return new EgressRefused('unreachable', 'the server could not be reached or broke off', { cause: error });
}

/** The log gets no path: it may carry a token or a name. */
function hostOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).host : undefined;
}
