/** Searches the mirror of the listing portal's locations by full, partial or misspelled names. */
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Location } from '../../integrations/listing-portal/location.ts';
import { normalizeName, transliterate } from '../../integrations/listing-portal/names.ts';
import type { Database } from '../../postgres/client.ts';
import { createPortalLocations } from './portal-locations.ts';

interface LocationSearch {
  /** English or Arabic. */
  text: string;
  type?: string | undefined;
  limit: number;
}

export interface FoundLocation extends Location {
  /**
   * From 0 to 1. 1: exact name; 0.9: prefix of the name; 0.8: prefix of a later word of it; 0.7: words of the name and
   * of its ancestors; below 0.7: similar spelling.
   */
  score: number;
}

const Hit = z.object({ id: z.int(), score: z.number() });
type Hit = z.infer<typeof Hit>;

/** A location with one of its names. */
const NamedLocation = z.object({ id: z.int(), phrase: z.string() });
type NamedLocation = z.infer<typeof NamedLocation>;

/** Similar spellings need this share of the best similarity. */
const shareOfBest = 0.8;
/** Longer names are not searched in a text. */
const maxNameWords = 6;

export function createPortalLocationSearch(database: Database) {
  const locationsNamed = async (phrases: readonly string[]): Promise<NamedLocation[]> =>
    await rowsOf(database, NamedLocation, byExactName(phrases));

  async function locationsOf(ids: readonly number[]): Promise<Map<number, Location>> {
    if (ids.length === 0) return new Map();
    const found = await createPortalLocations(database).some(ids);
    return new Map(found.map(location => [location.id, location]));
  }

  return {
    /** Best match first; empty for a text without letters and digits. */
    async search(search: LocationSearch): Promise<FoundLocation[]> {
      const text = normalizeName(search.text);
      if (text === '') return [];
      const found = await hitsOf(database, text, search);
      const locations = await locationsOf(found.map(({ id }) => id));
      return found.flatMap(({ id, score }) => {
        const location = locations.get(id);
        return location ? [{ ...location, score: Math.round(score * 100) / 100 }] : [];
      });
    },

    /**
     * Locations with exactly this normalized name, English or Arabic, largest first.
     * @param parent the name of any ancestor
     */
    async named(name: string, parent?: string): Promise<Location[]> {
      const isNamed = (place: { name: string; nameAr: string | null }, wanted: string) =>
        [place.name, place.nameAr ?? ''].some(each => normalizeName(each) === normalizeName(wanted));
      const called = await locationsNamed([normalizeName(name)]);
      const locations = await locationsOf(called.map(({ id }) => id));
      return called
        .flatMap(({ id }) => locations.get(id) ?? [])
        .filter(location => isNamed(location, name))
        .filter(({ places }) => parent === undefined || places.slice(0, -1).some(place => isNamed(place, parent)));
    },

    /** Locations that a text, such as a lead's comment, mentions by name; longest names first. */
    async mentionedIn(text: string, limit: number): Promise<Location[]> {
      const called = await locationsNamed(phrasesOf(text));
      const ids = longestNames(called).slice(0, limit);
      const locations = await locationsOf(ids);
      return ids.flatMap(id => locations.get(id) ?? []);
    },
  };
}

/** Adds less precise matches only while more precise ones do not fill the limit. */
async function hitsOf(database: Database, text: string, search: LocationSearch): Promise<Hit[]> {
  const found = new Map<number, number>();
  const add = async (query: SQL) => {
    for (const { id, score } of await rowsOf(database, Hit, query)) if (!found.has(id)) found.set(id, score);
  };
  await add(byName(text, search));
  if (found.size < search.limit && text.includes(' ')) await add(byPathWords(text, search));
  if (found.size === 0) await add(bySimilarity(text, search, true));
  if (found.size === 0) await add(bySimilarity(text, search, false));
  return [...found].slice(0, search.limit).map(([id, score]) => ({ id, score }));
}

const rowsOf = async <R extends z.ZodType>(database: Database, row: R, query: SQL): Promise<z.output<R>[]> =>
  z.array(row).parse((await database.execute(query)).rows);

const withType = (type: string | undefined): SQL => (type === undefined ? sql`` : sql`and type = ${type}`);

/**
 * By prefix of a name or of its later words. Locations with descendants come first, by size; the others by name. A
 * location may match by several names, so each part reads three times the limit.
 */
function byName(text: string, { type, limit }: LocationSearch): SQL {
  const last = `${text}\u{10FFFF}`;
  const score = sql`case when not whole then 0.8 when phrase = ${text} then 1 else 0.9 end`;
  const some = (where: SQL, order: SQL) => sql`(
    select location_id, ${score} as score, places_below, phrase from portal_location_name
    where phrase >= ${text} and phrase <= ${last} and ${where} ${withType(type)}
    order by ${order} limit ${3 * limit})`;
  return sql`
    select location_id as id, max(score)::float as score
    from (
      ${some(sql`places_below > 0`, sql`score desc, places_below desc`)}
      union all ${some(sql`places_below = 0 and whole`, sql`phrase`)}
      union all ${some(sql`places_below = 0 and not whole`, sql`phrase`)}
    ) as named
    group by location_id
    order by max(score) desc, max(places_below) desc, min(phrase), location_id
    limit ${limit}`;
}

/**
 * By words of the path, such as `marina gate dubai`: each is the prefix of a word of the path, and at least one of a word
 * of the own name. A normalized name contains no `%` or `_`.
 */
function byPathWords(text: string, { type, limit }: LocationSearch): SQL {
  const words = transliterate(text)
    .split(' ')
    .map(word => `% ${word}%`);
  return sql`
    select id, 0.7::float as score from portal_location
    where ${sql.join(
      words.map(word => sql`sought_path like ${word}`),
      sql` and `,
    )}
      and sought_name like any (${sql.param(words)}::text[]) and gone_at is null ${withType(type)}
    order by places_below desc, length(sought_path), id
    limit ${limit}`;
}

/** @param large true for locations with descendants: they are few and searched most */
function bySimilarity(text: string, { type, limit }: LocationSearch, large: boolean): SQL {
  return sql`
    select id, (0.7 * alike)::float as score
    from (
      select id, alike, max(alike) over () as best, places_below, sought_name
      from locations_spelled_like(${transliterate(text)}, ${large}) join portal_location on id = location_id
      where true ${withType(type)}
    ) as spelled
    where alike >= ${shareOfBest} * best
    order by alike desc, places_below desc, length(sought_name), id
    limit ${limit}`;
}

function byExactName(phrases: readonly string[]): SQL {
  const some = (where: SQL) => sql`
    select location_id, phrase, places_below from portal_location_name
    where phrase = any(${sql.param([...phrases])}::text[]) and ${where}`;
  return sql`
    select location_id as id, phrase
    from (${some(sql`places_below > 0 and whole`)} union all ${some(sql`places_below = 0 and whole`)}) as called
    order by length(phrase) desc, places_below desc, location_id`;
}

function phrasesOf(text: string): string[] {
  const words = normalizeName(text).split(' ').slice(0, 500);
  const phrases = words.flatMap((_, from) =>
    words.slice(from, from + maxNameWords).map((__, more) => words.slice(from, from + more + 1).join(' ')),
  );
  // Names of one or two letters are more often ordinary words.
  return [...new Set(phrases)].filter(phrase => phrase.length > 2);
}

/** Ignores names inside longer ones, such as `Marina` in `Dubai Marina`. @param found longest names first */
function longestNames(found: readonly NamedLocation[]): number[] {
  const longest = found.filter(
    ({ phrase }) => !found.some(other => other.phrase !== phrase && ` ${other.phrase} `.includes(` ${phrase} `)),
  );
  return [...new Set(longest.map(({ id }) => id))];
}
