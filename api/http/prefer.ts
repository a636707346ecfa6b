/** The Prefer header (RFC 7240), as far as the service honours it. */
import { ServiceError } from '../../core/runtime/errors.ts';

export interface Preferences {
  /** `wait=N`: hold the answer up to N seconds. */
  waitSeconds?: number;
  /** `respond-async`: do not hold the answer. */
  respondAsync: boolean;
  /** `handling=strict`: refuse what cannot be honoured. */
  strict: boolean;
}

/**
 * A preference that is not known here is ignored, as section 2 asks, unless the caller prefers strict handling
 * (section 4.4); one that is known must make sense, for a caller that wrote `wait=soon` would wonder why nothing waits.
 * The first of a repeated preference counts.
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
      `These preferences are not known here, and handling=strict was preferred: ${unknown.join(', ')}.`,
    );
  }
  return preferences;
}

/** @returns false for a preference that is not known here */
function take(preferences: Preferences, name: string, value: string): boolean {
  if (name === 'respond-async') preferences.respondAsync = true;
  else if (name === 'wait') preferences.waitSeconds ??= seconds(value);
  else if (name === 'handling') preferences.strict ||= isStrict(value);
  else return false;
  return true;
}

function seconds(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new ServiceError(
    'bad-request',
    'The preference wait takes a whole number of seconds: Prefer: wait=10.',
  );
}

function isStrict(value: string): boolean {
  if (/^(strict|lenient)$/i.test(value)) return /^s/i.test(value);
  throw new ServiceError('bad-request', 'The preference handling is strict or lenient.');
}
