/** Validated fields of a new link, and the UTM parameters in its target. */
import { z } from 'zod';

/** An absolute http or https address: no `javascript:`, no `file:`, no user info. */
export const LinkUrl = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(2_048, 'must have at most 2,048 characters')
  .superRefine((text, context) => {
    const fault = faultOfUrl(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

export const LinkName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .regex(/^\P{Cc}*$/u, 'must not have control characters');

export const ExpiresAt = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time, such as 2026-12-31T20:00:00Z' })
  .refine(time => Date.parse(time) > Date.now(), 'must be in the future');

const utmValue = z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters');

/** Such as `source: 'instagram', medium: 'social'`. */
export const Utm = z
  .object({ source: utmValue, medium: utmValue, campaign: utmValue, term: utmValue, content: utmValue })
  .partial();
export type Utm = z.infer<typeof Utm>;

export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const satisfies (keyof Utm)[];

/**
 * Returns the address with the parameters in its query. Replaces parameters of the same names and copies the rest byte
 * for byte, because a signed query must not be re-encoded.
 */
export function withUtm(url: string, utm: Utm): string {
  const given = utmNames.flatMap(name => (utm[name] === undefined ? [] : [[`utm_${name}`, utm[name]] as const]));
  if (given.length === 0) return url;
  const [, page = '', query = '', fragment = ''] = /^([^?#]*)(?:[?]([^#]*))?(#.*)?$/s.exec(url) ?? [];
  const names = new Set<string>(given.map(([name]) => name));
  const others = query.split('&').filter(part => part !== '' && !names.has(part.split('=', 1)[0] ?? ''));
  const added = given.map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return `${page}?${[...others, ...added].join('&')}${fragment}`;
}

function faultOfUrl(text: string): string | undefined {
  // The URL parser drops line breaks and tabs and reads backslashes as slashes: the shown and the opened address would differ.
  if (/[\p{Cc}\s\\]/u.test(text))
    return 'must not have spaces, line breaks or backslashes; write them as %20 and so on';
  if (!/^https?:\/\/[^/]/i.test(text))
    return 'must be an absolute http or https address, such as https://example.com/page';
  if (!URL.canParse(text)) return 'is not a valid address';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not have a user name or password before the host';
  return undefined;
}
