/** The UTM parameters that analytics of a target's own site read, and their place in its address. */
import { z } from 'zod';

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
