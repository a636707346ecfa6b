/** The Prefer header (RFC 7240), as far as the service honours it. */

export interface Preferences {
  /** `wait=N`: hold the answer up to N seconds. */
  waitSeconds?: number;
  /** `respond-async`: do not hold the answer. */
  respondAsync: boolean;
}

/** What is unknown or cannot be honoured is ignored, as section 2 asks; the first of a repeated one counts. */
export function parsePrefer(header: string | undefined): Preferences {
  const preferences: Preferences = { respondAsync: false };
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map(text => text.trim());
    if (name.toLowerCase() === 'respond-async') preferences.respondAsync = true;
    const seconds = /^"?(\d{1,9})"?$/.exec(value)?.[1];
    if (name.toLowerCase() === 'wait' && seconds) preferences.waitSeconds ??= Number(seconds);
  }
  return preferences;
}
