/**
 * Slugs: the last part of a short link. People may choose one; else it is eight random characters and a check
 * character, of an alphabet without look-alikes and without vowels, so that no word comes about by chance.
 */
import { randomInt } from 'node:crypto';
import { z } from 'zod';

/** 23 characters, a prime number: the check finds every wrong character and every pair that changed places. */
const alphabet = '23456789cdfhjkmnprtvwxy';
const base = alphabet.length;
const randomLength = 8;
const length = randomLength + 1;

/** Words that would look like a part of the service, or like its word, in an address that a stranger reads. */
const reserved = new Set(
  (
    'about account admin api app apps auth billing campaign campaigns click clicks dashboard docs error favicon ' +
    'health help home index jobs link links login logout metrics null oauth openapi ops password privacy project ' +
    'projects qr register report reports robots root schedules security settings signin signup sitemap static ' +
    'status support system terms test undefined users well-known www'
  ).split(' '),
);

/** A slug that people chose. Its case is kept, and does not matter when the link is opened. */
export const Slug = z
  .string()
  .min(3, 'must have at least 3 characters')
  .max(64, 'must have at most 64 characters')
  .regex(
    /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/,
    'must be letters, digits and single hyphens between them, such as palm-launch',
  )
  .refine(slug => !reserved.has(slug.toLowerCase()), 'is reserved; choose another');

/** By which a link is found, so that `Palm-Launch` in print and `palm-launch` by hand are the same. */
export const slugKey = (slug: string): string => slug.toLowerCase();

/** One of 78 thousand million. */
export function newSlug(): string {
  const random = Array.from({ length: randomLength }, () => randomInt(base));
  const check = (base - (sum(random) % base)) % base;
  return [...random, check].map(value => alphabet.charAt(value)).join('');
}

/**
 * The made slugs that a mistyped one may stand for: with one character wrong, or two neighbours swapped.
 * None for what is no near miss of a made slug.
 */
export function slugsMeant(typed: string): string[] {
  const values = [...slugKey(typed)].map(character => alphabet.indexOf(character));
  const foreign = values.filter(value => value === -1).length;
  if (values.length !== length || foreign > 1) return [];
  const rest = sum(values.map(value => Math.max(value, 0))) % base;
  if (foreign === 0 && rest === 0) return [];

  const mended = values.flatMap((value, place) => {
    if (foreign === 1 && value !== -1) return [];
    const right = (Math.max(value, 0) + (base - rest) * inverse(weight(place))) % base;
    return [values.with(place, right)];
  });
  const swapped = values
    .slice(1)
    .map((value, place) => values.with(place, value).with(place + 1, values[place] ?? 0))
    .filter(candidate => foreign === 0 && sum(candidate) % base === 0);
  return [...mended, ...swapped].map(candidate => candidate.map(value => alphabet.charAt(value)).join(''));
}

/** The check character has weight 1, so that it is what is missing to a multiple of the base. */
const weight = (place: number): number => length - place;

const sum = (values: readonly number[]): number =>
  values.reduce((total, value, place) => total + value * weight(place), 0);

/** What makes 1 of a weight when multiplied with it, modulo the base; there is one, because the base is prime. */
function inverse(factor: number): number {
  let candidate = 1;
  while ((candidate * factor) % base !== 1) candidate++;
  return candidate;
}
