/** Classifies a vendor's error answers and converts them to our errors. */
import { isHtml, type RawAnswer } from './call.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

/**
 * - `limit`: we exceeded a rate limit; the call was not executed, and all our processes wait.
 * - `transient`: the system is failing; a retry may succeed.
 * - `unauthorized`: our credentials are rejected.
 * - `rejected`: the call itself is wrong; a retry would be rejected as well.
 */
export interface VendorFault {
  verdict: 'limit' | 'transient' | 'unauthorized' | 'rejected';
  code?: string;
  message?: string;
  retryAfterMs?: number;
  /** The vendor states that nothing was executed. */
  notExecuted?: boolean;
}

/** The meaning of HTTP status codes (RFC 9110). @returns undefined for a success */
export function faultByStatus(answer: RawAnswer): VendorFault | undefined {
  const { status } = answer;
  const retryAfterMs = readRetryAfter(answer);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429) return { verdict: 'limit', ...wait };
  if (status === 401) return { verdict: 'unauthorized' };
  if (status >= 500) return { verdict: 'transient', ...wait };
  // Such as 404: a page of HTML says the same as JSON. With 403, a proxy or CDN in front of the vendor blocks all calls.
  if (status >= 400 && status !== 403) return { verdict: 'rejected' };
  if (isHtml(answer)) return { verdict: 'transient', code: 'html', message: 'a page instead of data' };
  // 304 is a success of a conditional read.
  if (status >= 300 && status !== 304) return { verdict: 'rejected' };
  if (answer.body.length > 0 && answer.json() === undefined)
    return { verdict: 'transient', code: 'malformed', message: 'a body that is not JSON' };
  return undefined;
}

/** `Retry-After` in ms (RFC 9110 §10.2.3), from seconds or a date. */
export function readRetryAfter({ headers }: RawAnswer): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

export function faultError({ name, title }: SystemName, status: number, fault: VendorFault): UpstreamError {
  const { verdict, code, message, retryAfterMs } = fault;
  const texts = {
    limit: 'takes no more calls for now',
    transient: 'failed',
    unauthorized: 'rejects our credentials',
    rejected: 'rejected the call',
  };
  return new UpstreamError(
    verdict === 'limit' ? 'upstream-unavailable' : 'upstream-failed',
    `${title} ${texts[verdict]}.`,
    {
      system: name,
      status,
      transient: verdict === 'limit' || verdict === 'transient',
      maybeExecuted: verdict === 'transient' && fault.notExecuted !== true,
      down: verdict === 'transient',
      overLimit: verdict === 'limit',
      ...(code !== undefined && { code }),
      ...(message !== undefined && { message }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  );
}
