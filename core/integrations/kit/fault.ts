/** Reads what an outside system means by an error, and turns it into ours. */
import { isHtml, type RawAnswer } from './answer.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

/**
 * - `limit`: we called too often; the call was not run, and all our processes wait.
 * - `passing`: the system is unwell; another try may succeed.
 * - `unauthorized`: our credentials are refused.
 * - `refused`: the call as such is wrong; another try would be refused as well.
 */
export interface Fault {
  verdict: 'limit' | 'passing' | 'unauthorized' | 'refused';
  code?: string;
  message?: string;
  retryAfterMs?: number;
  /** The system says that nothing was done. */
  notRun?: boolean;
}

/** The common reading of HTTP (RFC 9110); undefined: a success. */
export function faultByStatus(answer: RawAnswer): Fault | undefined {
  const { status } = answer;
  const retryAfterMs = readRetryAfter(answer);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429) return { verdict: 'limit', ...wait };
  if (status === 401) return { verdict: 'unauthorized' };
  if (status >= 500) return { verdict: 'passing', ...wait };
  // A page instead of data is the work of something in front of the system.
  if (isHtml(answer)) return { verdict: 'passing', code: 'html', message: 'a page instead of data' };
  // 304 is what a conditional read asks for.
  if (status >= 300 && status !== 304) return { verdict: 'refused' };
  if (answer.body.length > 0 && answer.json() === undefined)
    return { verdict: 'passing', code: 'malformed', message: 'a body that is no JSON' };
  return undefined;
}

/** `Retry-After` in ms (RFC 9110 section 10.2.3), as seconds or as a date. */
export function readRetryAfter({ headers }: RawAnswer): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

export function faultError({ name, title }: SystemName, status: number, fault: Fault): UpstreamError {
  const { verdict, code, message, retryAfterMs } = fault;
  const failure = {
    system: name,
    status,
    passing: verdict === 'limit' || verdict === 'passing',
    mayHaveRun: verdict === 'passing' && fault.notRun !== true,
    down: verdict === 'passing',
    overLimit: verdict === 'limit',
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  switch (verdict) {
    case 'limit':
      return new UpstreamError('upstream-unavailable', `${title} takes no more calls for now.`, failure);
    case 'passing':
      return new UpstreamError('upstream-failed', `${title} failed.`, failure);
    case 'unauthorized':
      return new UpstreamError('upstream-failed', `${title} refuses our credentials.`, failure);
    case 'refused':
      return new UpstreamError('upstream-failed', `${title} refused the call.`, failure);
  }
}
