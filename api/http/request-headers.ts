/** Request headers: `Prefer` (RFC 7240), `Accept` of browsers, prefetch markers, `If-None-Match` (RFC 9110 section 13.1.2). */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { isPrefetch, readUserAgent } from '../../core/domain/links/request-headers.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

/** The supported preferences. */
export interface Preferences {
  /** `wait=N`: wait up to N seconds for the job. */
  waitSeconds?: number;
  /** `respond-async`: do not wait. */
  respondAsync: boolean;
  /** `cancel-on-disconnect`, of this service: cancel the job when the client disconnects while it waits. */
  cancelOnDisconnect: boolean;
  /** `handling=strict`: reject unknown preferences. */
  strict: boolean;
}

/**
 * Ignores unknown preferences (section 2) except with strict handling (section 4.4). Rejects invalid values of known
 * ones, such as `wait=soon`. The first of a repeated preference counts.
 * @throws ServiceError bad-request naming the preferences
 */
export function parsePrefer(header: string | undefined): Preferences {
  const preferences: Preferences = { respondAsync: false, cancelOnDisconnect: false, strict: false };
  const unknown: string[] = [];
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map(text => text.trim());
    if (name !== '' && !setPreference(preferences, name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')))
      unknown.push(name);
  }
  if (preferences.strict && unknown.length > 0) {
    throw new ServiceError('bad-request', `Unknown preferences with handling=strict: ${unknown.join(', ')}.`);
  }
  return preferences;
}

/**
 * Rejects HEAD, prefetches and link previews, for GET operations with side effects.
 * @param effect such as `starts a job`
 * @throws ServiceError forbidden, method-not-allowed
 */
export function rejectPrefetch({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>, effect: string): void {
  if (method === 'HEAD') {
    throw new ServiceError('method-not-allowed', `This address ${effect}; send GET, not HEAD.`, {
      headers: { allow: 'GET' },
    });
  }
  if (!isPrefetch(headers) && readUserAgent(headers['user-agent']).class !== 'preview') return;
  throw new ServiceError(
    'forbidden',
    `This address ${effect}: it rejects prefetches and link previews. Send a normal GET request.`,
    { headers: { 'cache-control': 'no-store' } },
  );
}

/** Browsers name HTML when they open an address; programs do not. */
export const acceptsHtml = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');

/** Languages of the public pages. */
export type PageLanguage = 'en' | 'ar';

/** The language of the browser, if the public pages have it. */
export const pageLanguageOf = (request: Pick<FastifyRequest, 'headers'>): PageLanguage =>
  new Negotiator(request).language(['en', 'ar']) === 'ar' ? 'ar' : 'en';

/** Entity tag of a JSON answer. */
export const etagOfBody = (body: object): string =>
  `"${hash('sha256', JSON.stringify(body), 'base64url').slice(0, 27)}"`;

/** Weak comparison, as `If-None-Match` requires. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header === '*' || (header ?? '').split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);

/** @returns false for an unknown preference */
function setPreference(preferences: Preferences, name: string, value: string): boolean {
  if (name === 'respond-async') preferences.respondAsync = true;
  else if (name === 'cancel-on-disconnect') preferences.cancelOnDisconnect = true;
  else if (name === 'wait') preferences.waitSeconds ??= seconds(value);
  else if (name === 'handling') preferences.strict ||= isStrict(value);
  else return false;
  return true;
}

function seconds(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new ServiceError('bad-request', 'wait must be a whole number of seconds, such as Prefer: wait=10.');
}

function isStrict(value: string): boolean {
  if (/^(strict|lenient)$/i.test(value)) return /^s/i.test(value);
  throw new ServiceError('bad-request', 'handling must be strict or lenient.');
}
