/** The supported preferences of the `Prefer` header (RFC 7240). */
import { ServiceError } from '../../core/runtime/errors.ts';

export interface Preferences {
  /** `wait=N`: wait up to N seconds for the job. */
  waitSeconds?: number;
  /** `respond-async`: do not wait. */
  respondAsync: boolean;
  /** `handling=strict`: reject unknown preferences. */
  strict: boolean;
}

/**
 * Ignores unknown preferences (section 2) except with strict handling (section 4.4). Rejects invalid values of known
 * ones, such as `wait=soon`. The first of a repeated preference counts.
 * @throws ServiceError bad-request naming the preferences
 */
export function parsePrefer(header: string | undefined): Preferences {
  const preferences: Preferences = { respondAsync: false, strict: false };
  const unknown: string[] = [];
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map(text => text.trim());
    if (name !== '' && !take(preferences, name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')))
      unknown.push(name);
  }
  if (preferences.strict && unknown.length > 0) {
    throw new ServiceError(
      'bad-request',
      `These preferences are unknown and handling=strict is set: ${unknown.join(', ')}.`,
    );
  }
  return preferences;
}

/** @returns false for an unknown preference */
function take(preferences: Preferences, name: string, value: string): boolean {
  if (name === 'respond-async') preferences.respondAsync = true;
  else if (name === 'wait') preferences.waitSeconds ??= seconds(value);
  else if (name === 'handling') preferences.strict ||= isStrict(value);
  else return false;
  return true;
}

function seconds(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new ServiceError('bad-request', `wait must be a whole number of seconds, such as Prefer: wait=10.`);
}

function isStrict(value: string): boolean {
  if (/^(strict|lenient)$/i.test(value)) return /^s/i.test(value);
  throw new ServiceError('bad-request', 'handling must be strict or lenient.');
}
