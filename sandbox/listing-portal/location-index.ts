/**
 * Searches locations by the words of their own and their parents' names, in English and Arabic; best match first.
 * The vendor does not document what a search covers; that parents' names count is an assumption of this sandbox, unless
 * its setting `ownNameOnly` is on.
 */
import type { PortalLocation } from './portal-locations.ts';

export interface LocationQuery {
  search: string;
  ownNameOnly: boolean;
  ids: readonly number[];
  type: string | undefined;
  /** Names from the city down; matches the places below this path. */
  parent: readonly string[];
}

export interface LocationIndex {
  find(query: LocationQuery): readonly PortalLocation[];
}

/** A crawl requests the pages of one search in sequence, so its result is cached. */
const maxCachedSearches = 20;

interface Entry {
  location: PortalLocation;
  names: readonly string[];
  /** All names of the path, each word preceded by a blank. */
  words: string;
  /** The same of its own names. */
  ownWords: string;
  path: readonly string[];
}

export function createLocationIndex(locations: readonly PortalLocation[]): LocationIndex {
  const entries = locations.map(entryOf);
  const cache = new Map<string, readonly PortalLocation[]>();

  return {
    find(query) {
      const key = JSON.stringify(query);
      const found = cache.get(key) ?? search(entries, query);
      cache.delete(key);
      cache.set(key, found);
      for (const oldest of cache.keys()) {
        if (cache.size <= maxCachedSearches) break;
        cache.delete(oldest);
      }
      return found;
    },
  };
}

/** Shared by the sandboxes of a process. */
const knownEntries = new WeakMap<PortalLocation, Entry>();

function entryOf(location: PortalLocation): Entry {
  const entry = knownEntries.get(location) ?? makeEntry(location);
  knownEntries.set(location, entry);
  return entry;
}

function makeEntry(location: PortalLocation): Entry {
  const names = [location.name, location.nameAr].map(normalised);
  const path = location.tree.map(({ name }) => normalised(name));
  const pathAr = location.tree.map(({ nameAr }) => normalised(nameAr));
  const words = ` ${[...path, ...pathAr].join(' ')}`;
  return { location, names, path, words, ownWords: ` ${names.join(' ')}` };
}

function search(
  entries: readonly Entry[],
  { search: text, ownNameOnly, ids, type, parent }: LocationQuery,
): readonly PortalLocation[] {
  const wanted = normalised(text);
  const words = wanted.split(' ').filter(Boolean);
  const ancestors = parent.map(normalised);
  // With ids, the words are required but ignored.
  const matches = (entry: Entry): boolean =>
    ids.length > 0
      ? ids.includes(entry.location.id)
      : words.every(word => (ownNameOnly ? entry.ownWords : entry.words).includes(` ${word}`));
  return entries
    .filter(
      entry =>
        (type === undefined || entry.location.type === type) &&
        (ancestors.length === 0 || isBelow(entry, ancestors)) &&
        matches(entry),
    )
    .map(entry => ({ location: entry.location, rank: rankOf(entry, wanted) }))
    .sort((a, b) => a.rank - b.rank || a.location.tree.length - b.location.tree.length || a.location.id - b.location.id)
    .map(({ location }) => location);
}

function isBelow({ path }: Entry, ancestors: readonly string[]): boolean {
  return path.length > ancestors.length && ancestors.every((name, index) => path[index] === name);
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
