/** Reads the form that the OAuth endpoints take (RFC 6749 section 3.2). */
import { OauthError } from '../http/oauth-error.ts';

/**
 * A parameter without a value counts as left out.
 * @throws OauthError invalid_request when one is given more than once
 */
export function parseOauthForm(body: string): Record<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) throw new OauthError('invalid_request', `${name} is given more than once.`);
    form.set(name, value);
  }
  return Object.fromEntries([...form].filter(([, value]) => value !== ''));
}
