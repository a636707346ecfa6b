/** Fetches URLs that clients provided: public addresses only, with limits on time, bytes and redirects. */
import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Logger } from 'pino';
import { Agent, buildConnector } from 'undici';
import { createTimeout, untilAborted, withTimeout } from '../runtime/timeout.ts';
import { userAgent } from '../runtime/version.ts';
import { parseAddress } from './address.ts';
import { type AllowRule, mayConnect } from './allow-rules.ts';
import { checkRedirect, checkUrl, portOf } from './check-url.ts';
import { EgressError } from './egress-error.ts';
import { readBody } from './read-body.ts';

/** All addresses of a host name, as text. */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface GuardedFetchOptions {
  /** Exceptions to the guard, from EgressConfig. */
  allow?: readonly AllowRule[];
  /** Default: the system's resolver, `/etc/hosts` included. */
  resolve?: Resolve;
  logger?: Logger;
}

export interface GuardedRequest {
  /** Maximum size of the body, compressed and decompressed. */
  maxBytes: number;
  /** From the first lookup to the last byte, redirects included. */
  timeoutMs: number;
  signal?: AbortSignal;
  method?: 'GET' | 'POST';
  /** Names in lower case. A redirect to another origin receives only `accept`. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** Receives the size of each part of the body, also when the fetch fails later. */
  onBytes?: (count: number) => void;
  /** Default 3. A POST is never redirected. */
  maxRedirects?: number;
}

export interface GuardedAnswer {
  /** 200 to 299. */
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** The URL after the last redirect. */
  url: string;
}

export type GuardedFetch = ReturnType<typeof createGuardedFetch>;

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The body of a redirect or error up to this size is read to its end, so that the connection can be reused. */
const maxDrainedBytes = 64_000;

/** The system's resolver may ask three servers one after the other, 5 s each, and cannot be cancelled. */
const lookupTimeoutMs = 10_000;

/** Create one for each process: it keeps connections. It sends no cookies and uses no proxy. */
export function createGuardedFetch(options: GuardedFetchOptions = {}) {
  const rules = options.allow ?? [];
  const connect = guardedConnector(rules, options.resolve ?? systemResolve);
  const agent = new Agent({ connect, pipelining: 1 });

  return {
    /**
     * @throws EgressError for anything but a 2xx answer within the limits
     * @throws the signal's reason when it is aborted
     */
    async fetch(text: string, request: GuardedRequest): Promise<GuardedAnswer> {
      request.signal?.throwIfAborted();
      const timeout = createTimeout(request.timeoutMs, request.signal);
      try {
        const url = checkUrl(text, rules);
        // Undici observes the signal only after it has connected.
        return await untilAborted(follow(agent, rules, url, { ...request, signal: timeout.signal }), timeout.signal);
      } catch (cause) {
        request.signal?.throwIfAborted();
        const error = timeout.hasExpired() ? tooSlow(request.timeoutMs, cause) : asEgressError(cause);
        options.logger?.debug({ host: hostOf(text), reason: error.reason, err: error }, 'fetch failed');
        throw error;
      } finally {
        timeout.clear();
      }
    },
    /** Cancels requests in flight and closes every connection. */
    close: () => agent.destroy(),
  };
}

/**
 * A connector for undici. It resolves the name once, checks every address, and gives the socket these addresses: no
 * second lookup can return another one (DNS rebinding).
 */
function guardedConnector(rules: readonly AllowRule[], resolve: Resolve): buildConnector.connector {
  return (options, callback) => {
    checkedAddresses(options.hostname, portOf(options), rules, resolve).then(
      addresses =>
        // With `autoSelectFamily` the lookup has to return all addresses.
        buildConnector({ lookup: fixedLookup(addresses), autoSelectFamily: true, maxCachedSessions: 0 })(
          options,
          callback,
        ),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

const systemResolve: Resolve = async hostname => (await lookup(hostname, { all: true })).map(({ address }) => address);

async function follow(
  agent: Agent,
  rules: readonly AllowRule[],
  first: URL,
  { signal, ...request }: GuardedRequest & { signal: AbortSignal },
): Promise<GuardedAnswer> {
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
      const bytes = await readBody(body, headers, request.maxBytes, request.onBytes);
      return { status: statusCode, headers, bytes, url: url.href };
    }
    await body.dump({ limit: maxDrainedBytes, signal });
    if (!redirectStatuses.has(statusCode))
      throw new EgressError('status', `the server answered ${statusCode}`, { status: statusCode });
    url = checkRedirect(url, headers.location, rules);
  }
  throw new EgressError(
    'redirects',
    maxRedirects === 0 ? 'the server redirects, which is not followed' : 'the server redirects too often',
  );
}

/** The caller's headers (tokens, signatures) are for the first origin only. */
function headersFor(url: URL, first: URL, given: Readonly<Record<string, string>>): Record<string, string> {
  const ours = { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' };
  if (url.origin === first.origin) return { ...ours, ...given };
  return { ...ours, ...(given.accept !== undefined && { accept: given.accept }) };
}

/**
 * One forbidden address rejects them all: a public name with a private address among others is an attack or a mistake.
 * @throws EgressError `address` or `unreachable`
 */
async function checkedAddresses(
  hostname: string,
  port: number,
  rules: readonly AllowRule[],
  resolve: Resolve,
): Promise<string[]> {
  const addresses = parseAddress(hostname) ? [hostname] : await resolveName(hostname, resolve);
  for (const text of addresses) {
    const address = parseAddress(text);
    if (!address || !mayConnect(hostname, address, port, rules)) {
      const cause = new Error(`${hostname}:${port} is at ${text}, which is not public and not in EGRESS_ALLOW`);
      throw new EgressError('address', 'its server is not on the public internet', { cause });
    }
  }
  return addresses;
}

async function resolveName(hostname: string, resolve: Resolve): Promise<string[]> {
  const unknown = (cause?: unknown) => new EgressError('unreachable', 'its server’s name is not known', { cause });
  const addresses = await withTimeout(resolve(hostname), lookupTimeoutMs).catch((cause: unknown) => {
    throw unknown(cause);
  });
  if (addresses.length === 0) throw unknown();
  return addresses;
}

/** Returns the checked addresses for every name. Sockets do not look up literal addresses. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, _options, callback) => callback(null, answers);
}

const tooSlow = (timeoutMs: number, cause: unknown): EgressError =>
  new EgressError('timeout', `the server took longer than ${timeoutMs / 1_000} s`, { cause });

/** Any other error is a failure of the network or the server. */
const asEgressError = (cause: unknown): EgressError =>
  cause instanceof EgressError
    ? cause
    : new EgressError('unreachable', 'the server could not be reached or broke off', { cause });

/** Without the path, which may contain a token or a name. */
const hostOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).host : undefined);
