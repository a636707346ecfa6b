/** Finds locations of the listing portal in the local copy by their names, whole or in part, misspelled or not. */
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Location } from '../../integrations/listing-portal/location.ts';
import { normalizeName, transliterate } from '../../integrations/listing-portal/names.ts';
import type { Database } from '../../postgres/client.ts';
import { locationsWithPlaces } from './portal-locations.ts';

export interface LocationSearch {
  /** What somebody typed, in English or Arabic. */
  text: string;
  type?: string | undefined;
  limit: number;
}

export interface FoundLocation extends Location {
  /**
   * From 0 to 1. 1: the very name; 0.9: how it begins; 0.8: words further on in it; 0.7: words of it and of the places
   * it lies in; below: another spelling, the less alike the lower.
   */
  score: number;
}

export type PortalLocationSearch = ReturnType<typeof createPortalLocationSearch>;

const Hit = z.object({ id: z.int(), score: z.number() });
type Hit = z.infer<typeof Hit>;

/** A location that is called by a phrase of a text. */
const Call = z.object({ id: z.int(), phrase: z.string() });
type Call = z.infer<typeof Call>;

/** Of other spellings only those this near to the best are shown. */
const shareOfBest = 0.8;
/** Names of more words are not looked for in a text. */
const longestName = 6;

export function createPortalLocationSearch(database: Database) {
  const rowsOf = async <R extends z.ZodType>(row: R, query: SQL): Promise<z.output<R>[]> =>
    z.array(row).parse((await database.execute(query)).rows);

  async function hitsOf(text: string, search: LocationSearch): Promise<Hit[]> {
    const found = new Map<number, number>();
    const add = async (query: SQL) => {
      for (const { id, score } of await rowsOf(Hit, query)) if (!found.has(id)) found.set(id, score);
    };
    await add(byName(text, search));
    if (found.size < search.limit && text.includes(' ')) await add(acrossThePath(text, search));
    if (found.size === 0) await add(spelledLike(text, search, true));
    if (found.size === 0) await add(spelledLike(text, search, false));
    return [...found].slice(0, search.limit).map(([id, score]) => ({ id, score }));
  }

  async function locationsOf(ids: readonly number[]): Promise<Map<number, Location>> {
    if (ids.length === 0) return new Map();
    const found = await locationsWithPlaces(database, ids);
    return new Map(found.map(location => [location.id, location]));
  }

  return {
    /** The best first; none for a text without letters or digits. */
    async search(search: LocationSearch): Promise<FoundLocation[]> {
      const text = normalizeName(search.text);
      if (text === '') return [];
      const found = await hitsOf(text, search);
      const locations = await locationsOf(found.map(({ id }) => id));
      return found.flatMap(({ id, score }) => {
        const location = locations.get(id);
        return location ? [{ ...location, score: Math.round(score * 100) / 100 }] : [];
      });
    },

    /**
     * Those of exactly this name, English or Arabic, however it is spelled where `normalName` makes no difference;
     * the larger first.
     * @param parent the name of any place above them
     */
    async named(name: string, parent?: string): Promise<Location[]> {
      const isNamed = (place: { name: string; nameAr: string | null }, wanted: string) =>
        [place.name, place.nameAr ?? ''].some(each => normalizeName(each) === normalizeName(wanted));
      const called = await rowsOf(Call, calledAnyOf([normalizeName(name)]));
      const locations = await locationsOf(called.map(({ id }) => id));
      return called
        .flatMap(({ id }) => locations.get(id) ?? [])
        .filter(location => isNamed(location, name))
        .filter(
          ({ places }) => parent === undefined || places.slice(0, -1).some(place => isNamed(place, parent)),
        );
    },

    /** Those that a text mentions by a name of theirs, such as a lead's note; the longest names first. */
    async mentionedIn(text: string, limit: number): Promise<Location[]> {
      const called = await rowsOf(Call, calledAnyOf(phrasesOf(text)));
      const ids = longestPhrases(called).slice(0, limit);
      const locations = await locationsOf(ids);
      return ids.flatMap(id => locations.get(id) ?? []);
    },
  };
}

const ofType = (type: string | undefined): SQL => (type === undefined ? sql`` : sql`and type = ${type}`);

/**
 * By a name or the rest of one that begins so. Places with others in them go before those without, which keep the order
 * of their names; a place may come up under several names, hence a few more than asked for.
 */
function byName(text: string, { type, limit }: LocationSearch): SQL {
  const last = `${text}\u{10FFFF}`;
  const score = sql`case when not whole then 0.8 when phrase = ${text} then 1 else 0.9 end`;
  const some = (where: SQL, order: SQL) => sql`(
    select location_id, ${score} as score, places_below, phrase from portal_location_name
    where phrase >= ${text} and phrase <= ${last} and ${where} ${ofType(type)}
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
 * `marina gate dubai`: each word begins a word of the path, and one of them a word of the location's own name. Neither
 * `%` nor `_` can come in: a normal name has letters, digits and blanks only.
 */
function acrossThePath(text: string, { type, limit }: LocationSearch): SQL {
  const words = transliterate(text)
    .split(' ')
    .map(word => `% ${word}%`);
  return sql`
    select id, 0.7::float as score from portal_location
    where ${sql.join(
      words.map(word => sql`sought_path like ${word}`),
      sql` and `,
    )}
      and sought_name like any (${sql.param(words)}::text[]) and gone_at is null ${ofType(type)}
    order by places_below desc, length(sought_path), id
    limit ${limit}`;
}

/** @param large those with others in them: fewer, and meant more often */
function spelledLike(text: string, { type, limit }: LocationSearch, large: boolean): SQL {
  return sql`
    select id, (0.7 * alike)::float as score
    from (
      select id, alike, max(alike) over () as best, places_below, sought_name
      from locations_spelled_like(${transliterate(text)}, ${large}) join portal_location on id = location_id
      where true ${ofType(type)}
    ) as spelled
    where alike >= ${shareOfBest} * best
    order by alike desc, places_below desc, length(sought_name), id
    limit ${limit}`;
}

function calledAnyOf(phrases: readonly string[]): SQL {
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
    words.slice(from, from + longestName).map((__, more) => words.slice(from, from + more + 1).join(' ')),
  );
  // Two letters are more often a word of their own than a place.
  return [...new Set(phrases)].filter(phrase => phrase.length > 2);
}

/** A name inside a longer one is not meant: `Marina` in `Dubai Marina`. @param calls the longest phrases first */
function longestPhrases(calls: readonly Call[]): number[] {
  const meant = calls.filter(
    ({ phrase }) =>
      !calls.some(other => other.phrase !== phrase && ` ${other.phrase} `.includes(` ${phrase} `)),
  );
  return [...new Set(meant.map(({ id }) => id))];
}
