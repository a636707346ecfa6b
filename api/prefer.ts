/** The Prefer header (RFC 7240), as far as the service honours it. */
import { ServiceError } from '../core/errors.ts';

export interface Preferences {
  /** `wait=N`: hold the answer up to N seconds. */
  waitSeconds?: number;
  /** `respond-async`: do not hold the answer. */
  respondAsync: boolean;
}

/**
 * Unknown preferences are ignored, as section 2 asks; the first of a repeated one counts.
 * @throws ServiceError bad-request when `wait` is no whole number of seconds
 */
export function parsePrefer(header: string | undefined): Preferences {
  const preferences: Preferences = { respondAsync: false };
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map(text => text.trim());
    if (name.toLowerCase() === 'respond-async') preferences.respondAsync = true;
    if (name.toLowerCase() === 'wait') preferences.waitSeconds ??= seconds(value.replace(/^"(.*)"$/, '$1'));
  }
  return preferences;
}

function seconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ServiceError(
    'bad-request',
    'The Prefer header must say wait=N with N a whole number of seconds.',
  );
}
