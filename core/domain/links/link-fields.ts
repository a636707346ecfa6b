/** What a caller says of a new link, checked: each fault is a sentence that says how to mend it. */
import { z } from 'zod';

const timeError = 'must be an ISO 8601 time, such as 2026-12-31T20:00:00Z';

/**
 * Where a link may lead: an absolute http or https address and nothing else, so that no link runs script, opens a file
 * or smuggles a login.
 */
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
  .datetime({ offset: true, error: timeError })
  .refine(time => Date.parse(time) > Date.now(), 'must be in the future');

function faultOfUrl(text: string): string | undefined {
  // The URL parser would drop line breaks and tabs, and read backslashes as slashes: what is shown would not be what opens.
  if (/[\p{Cc}\s\\]/u.test(text))
    return 'must not have spaces, line breaks or backslashes; write them as %20 and so on';
  if (!/^https?:\/\/[^/]/i.test(text))
    return 'must be an absolute http or https address, such as https://example.com/page';
  if (!URL.canParse(text)) return 'is no address that a browser can open';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return 'must not have a user name or password before the host';
  return undefined;
}

const value = z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters');

/** How the channel is named in the target's analytics, such as `source: 'instagram', medium: 'social'`. */
export const Utm = z
  .object({ source: value, medium: value, campaign: value, term: value, content: value })
  .partial();
export type Utm = z.infer<typeof Utm>;

export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const satisfies (keyof Utm)[];

/**
 * The address with the parameters in its query: those it has under the same names are replaced, all else stays as it
 * is, to the letter (a signed query must not be written anew).
 */
export function withUtm(url: string, utm: Utm): string {
  const given = utmNames.flatMap(name =>
    utm[name] === undefined ? [] : [[`utm_${name}`, utm[name]] as const],
  );
  if (given.length === 0) return url;
  const [, page = '', query = '', fragment = ''] = /^([^?#]*)(?:[?]([^#]*))?(#.*)?$/s.exec(url) ?? [];
  const names = new Set<string>(given.map(([name]) => name));
  const kept = query.split('&').filter(part => part !== '' && !names.has(part.split('=', 1)[0] ?? ''));
  const added = given.map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return `${page}?${[...kept, ...added].join('&')}${fragment}`;
}
