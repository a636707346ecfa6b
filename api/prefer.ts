/** The Prefer header (RFC 7240), as far as the service honours it. */
import { ServiceError } from '../core/errors.ts';

export interface Preferences {
  /** `wait=N`: hold the answer up to N seconds. */
  waitSeconds?: number;
  /** `respond-async`: do not hold the answer. */
  respondAsync: boolean;
  /** `handling=strict`: refuse what cannot be honoured. */
  strict: boolean;
}

/**
 * What is unknown or cannot be honoured is ignored, as section 2 asks, unless the caller prefers strict handling
 * (section 4.4); the first of a repeated preference counts.
 * @throws ServiceError bad-request, under strict handling only
 */
export function parsePrefer(header: string | undefined): Preferences {
  const preferences: Preferences = { respondAsync: false, strict: false };
  const ignored: string[] = [];
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map(text => text.trim());
    if (name !== '' && !take(preferences, name.toLowerCase(), value)) ignored.push(name);
  }
  if (preferences.strict && ignored.length > 0) {
    throw new ServiceError(
      'bad-request',
      `These preferences cannot be honoured, and handling=strict was preferred: ${ignored.join(', ')}.`,
    );
  }
  return preferences;
}

/** @returns false for a preference that cannot be honoured */
function take(preferences: Preferences, name: string, quoted: string): boolean {
  const value = quoted.replace(/^"(.*)"$/, '$1');
  if (name === 'respond-async') preferences.respondAsync = true;
  else if (name === 'handling' && /^(strict|lenient)$/i.test(value)) preferences.strict ||= /^s/i.test(value);
  else if (name === 'wait' && /^\d{1,9}$/.test(value)) preferences.waitSeconds ??= Number(value);
  else return false;
  return true;
}
