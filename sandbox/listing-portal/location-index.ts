/**
 * Finds locations by words: in the names of the place and of all it lies in, in English and Arabic, the best first.
 * The vendor does not say what a search looks at; that it finds what lies in a place is this sandbox's assumption.
 */
import type { PortalLocation } from './portal-locations.ts';

export interface LocationQuery {
  search: string;
  ids: readonly number[];
  type: string | undefined;
  /** Names from the city down; the places below it are meant. */
  parent: readonly string[];
}

export interface LocationIndex {
  find(query: LocationQuery): readonly PortalLocation[];
}

/** A crawl asks for the pages of one search one after the other. */
const keptSearches = 20;

interface Entry {
  location: PortalLocation;
  names: readonly string[];
  /** All names on the way to it, each word after a blank. */
  words: string;
  path: readonly string[];
}

export function createLocationIndex(locations: readonly PortalLocation[]): LocationIndex {
  const entries = locations.map(entryOf);
  const kept = new Map<string, readonly PortalLocation[]>();

  return {
    find(query) {
      const key = JSON.stringify(query);
      const found = kept.get(key) ?? search(entries, query);
      kept.delete(key);
      kept.set(key, found);
      for (const oldest of kept.keys()) {
        if (kept.size <= keptSearches) break;
        kept.delete(oldest);
      }
      return found;
    },
  };
}

function entryOf(location: PortalLocation): Entry {
  const names = [location.name, location.nameAr].map(normalised);
  const path = location.tree.map(({ name }) => normalised(name));
  const pathAr = location.tree.map(({ nameAr }) => normalised(nameAr));
  return { location, names, path, words: ` ${[...path, ...pathAr].join(' ')}` };
}

function search(
  entries: readonly Entry[],
  { search: text, ids, type, parent }: LocationQuery,
): readonly PortalLocation[] {
  const wanted = normalised(text);
  const words = wanted.split(' ').filter(Boolean);
  const above = parent.map(normalised);
  // An id says which place is meant; then the words, which must be sent all the same, do not count.
  const isNamed = (entry: Entry): boolean =>
    ids.length > 0 ? ids.includes(entry.location.id) : words.every(word => entry.words.includes(` ${word}`));
  return entries
    .filter(
      entry =>
        (type === undefined || entry.location.type === type) &&
        (above.length === 0 || liesBelow(entry, above)) &&
        isNamed(entry),
    )
    .map(entry => ({ location: entry.location, rank: rankOf(entry, wanted) }))
    .sort(
      (a, b) =>
        a.rank - b.rank || a.location.tree.length - b.location.tree.length || a.location.id - b.location.id,
    )
    .map(({ location }) => location);
}

function liesBelow({ path }: Entry, above: readonly string[]): boolean {
  return path.length > above.length && above.every((name, index) => path[index] === name);
}

function rankOf({ names }: Entry, wanted: string): number {
  if (names.includes(wanted)) return 0;
  return names.some(name => name.startsWith(wanted)) ? 1 : 2;
}

function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s,]+/g, ' ')
    .trim();
}
