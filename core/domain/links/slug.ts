/**
 * Slugs: the last segment of a short link. Chosen by the caller, or generated: eight random characters and a check
 * character, from an alphabet without look-alikes and without vowels, so that no word appears by chance.
 */
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { LinkKind } from './link.ts';

/** 23 characters, a prime number: the check character detects every wrong character and every transposition. */
const alphabet = '23456789cdfhjkmnprtvwxy';
const base = alphabet.length;
const randomLength = 8;
const length = randomLength + 1;

/** Words that could be mistaken for a part of the service. */
const reserved = new Set(
  (
    'about account admin api app apps auth billing campaign campaigns click clicks dashboard docs error favicon ' +
    'health help home index jobs link links login logout metrics null oauth openapi ops password privacy project ' +
    'projects qr register report reports robots root schedules security settings signin signup sitemap static ' +
    'status support system terms test undefined users well-known www'
  ).split(' '),
);

/** A chosen slug. Stored with its case, looked up without. */
export const Slug = z
  .string()
  .min(3, 'must have at least 3 characters')
  .max(64, 'must have at most 64 characters')
  .regex(
    /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/,
    'must be letters, digits and single hyphens between them, such as palm-launch',
  )
  .refine(slug => !reserved.has(slug.toLowerCase()), 'is reserved; choose another');

/** Lookup key: slugs are case-insensitive. */
export const slugKey = (slug: string): string => slug.toLowerCase();

/** 126 bits, because the address is all that the target asks for. */
const secretLength = 28;

/** One of 78 billion (23^8); of a mail, one that cannot be guessed or corrected. */
export function newSlug(kind: LinkKind): string {
  if (kind === 'mail') return textOf(randomValues(secretLength));
  const random = randomValues(randomLength);
  const check = (base - (sum(random) % base)) % base;
  return textOf([...random, check]);
}

const randomValues = (count: number): number[] => Array.from({ length: count }, () => randomInt(base));
const textOf = (values: readonly number[]): string => values.map(value => alphabet.charAt(value)).join('');

/**
 * The generated slugs that a mistyped one may stand for: one wrong character, or two neighbours swapped. Empty for a
 * valid slug, and for one with more errors.
 */
export function correctedSlugs(typed: string): string[] {
  const values = [...slugKey(typed)].map(character => alphabet.indexOf(character));
  const foreign = values.filter(value => value === -1).length;
  if (values.length !== length || foreign > 1) return [];
  const rest = sum(values.map(value => Math.max(value, 0))) % base;
  if (foreign === 0 && rest === 0) return [];

  const corrected = values.flatMap((value, place) => {
    if (foreign === 1 && value !== -1) return [];
    const right = (Math.max(value, 0) + (base - rest) * inverse(weight(place))) % base;
    return [values.with(place, right)];
  });
  const swapped = values
    .slice(1)
    .map((value, place) => values.with(place, value).with(place + 1, values[place] ?? 0))
    .filter(candidate => foreign === 0 && sum(candidate) % base === 0);
  return [...corrected, ...swapped].map(textOf);
}

/** The check character has weight 1, so it completes the sum to a multiple of the base. */
const weight = (place: number): number => length - place;

const sum = (values: readonly number[]): number =>
  values.reduce((total, value, place) => total + value * weight(place), 0);

/** Multiplicative inverse modulo the base; exists because the base is prime. */
function inverse(factor: number): number {
  let candidate = 1;
  while ((candidate * factor) % base !== 1) candidate++;
  return candidate;
}
