/** Classifies a vendor's error answers and converts them to our errors. */
import { z } from 'zod';
import { isHtml, type RawAnswer } from './call.ts';
import { type FailureKind, type SystemName, UpstreamError } from './upstream-error.ts';
import { scrubbed } from './vendor-text.ts';

/**
 * - `limit`: we exceeded a rate limit; the call was not executed, and all our processes wait.
 * - `transient`: the system is failing; a retry may succeed.
 * - `unauthorized`: our credentials are rejected.
 * - `redirected`: the address in the configuration is wrong; the call was not executed.
 * - `rejected`: the call itself is wrong; a retry would be rejected as well.
 */
export interface VendorFault {
  verdict: 'limit' | 'transient' | 'unauthorized' | 'redirected' | 'rejected';
  code?: string;
  message?: string;
  retryAfterMs?: number;
  /** The message may contain names of people: it is not shown. */
  isPersonal?: boolean;
}

/** The meaning of HTTP status codes (RFC 9110). @returns undefined for a success */
export function faultByStatus(answer: RawAnswer): VendorFault | undefined {
  const { status } = answer;
  const retryAfterMs = readRetryAfter(answer);
  const details = { ...(retryAfterMs !== undefined && { retryAfterMs }), ...textOf(answer) };
  if (status === 429) return { verdict: 'limit', ...details };
  if (status === 401) return { verdict: 'unauthorized', ...textOf(answer) };
  if (status >= 500) return { verdict: 'transient', ...details };
  // Such as 404: a page of HTML says the same as JSON. With 403, a proxy or CDN in front of the vendor blocks all calls.
  if (status >= 400 && status !== 403) return { verdict: 'rejected', ...textOf(answer) };
  // 304 is a success of a conditional read. The page of a redirect, such as that to a login page, is no outage.
  if (status >= 300 && status < 400 && status !== 304) return { verdict: 'redirected' };
  if (isHtml(answer)) return { verdict: 'transient', code: 'html', message: 'a page instead of data' };
  if (status >= 400) return { verdict: 'rejected', ...textOf(answer) };
  if (answer.body.length > 0 && answer.json() === undefined)
    return { verdict: 'transient', code: 'malformed', message: 'a body that is not JSON' };
  return undefined;
}

/** The member in which most vendors explain an error. */
const ErrorText = z.union([
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ error_description: z.string() }).transform(({ error_description }) => error_description),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
]);

function textOf(answer: RawAnswer): { message?: string } {
  const text = ErrorText.safeParse(answer.json()).data;
  return text ? { message: text } : {};
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
    redirected: 'redirects the call',
    rejected: 'rejected the call',
  };
  return new UpstreamError(
    verdict === 'limit' ? 'upstream-unavailable' : 'upstream-failed',
    `${title} ${texts[verdict]}${vendorReason(fault)}.`,
    {
      kind: kindOf(verdict),
      system: name,
      status,
      ...(code !== undefined && { code }),
      ...(message !== undefined && { message }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  );
}

function kindOf(verdict: VendorFault['verdict']): FailureKind {
  if (verdict === 'limit') return 'limit';
  return verdict === 'transient' ? 'failing' : 'rejected';
}

/** Such as `: Access denied (ACCESS_DENIED)`; '' without them. */
export function vendorReason({ code, message = '', isPersonal }: Omit<VendorFault, 'verdict'>): string {
  const text = isPersonal ? '' : scrubbed(message).replace(/[.\s]+$/, '');
  const named = code === undefined || code === '' ? '' : ` (${scrubbed(code)})`;
  return `${text && `: ${text}`}${named}`;
}

/** A redirect is never followed: calls carry credentials. @param location header of the answer */
export function redirectError({ name, title, setting }: SystemName, baseUrl: string, location: unknown): UpstreamError {
  const given = String(location ?? '');
  const host = URL.canParse(given, baseUrl) ? new URL(given, baseUrl).host : '';
  const isElsewhere = host !== '' && host !== new URL(baseUrl).host;
  // Its path may contain credentials.
  const where = isElsewhere ? `to the host ${host}` : 'to another page, such as a login page';
  const fix = isElsewhere ? 'if that is its new address, change' : 'check the address in';
  return new UpstreamError(
    'system-not-configured',
    `${title} redirects calls ${where}: ${fix} ${setting ?? 'its setting'}.`,
    { kind: 'rejected', system: name, code: 'redirect' },
  );
}
