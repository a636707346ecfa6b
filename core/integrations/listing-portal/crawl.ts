/**
 * Reads all of the listing portal's locations. The portal has no list of them: it answers searches, which look into the
 * names of the whole path. So each city's name is searched, type by type, in English and then in Arabic.
 *
 * What shows that the crawl is complete: each search gave as many different rows as its total says; a city's types add
 * up to the total of the city; and the names of some places in it, searched by themselves, found nothing that was not known.
 * Where they did, the names of all places found are searched as well, until nothing new comes.
 */
import { cities, cityNamed } from './cities.ts';
import type { Location } from './location.ts';
import type { LocationQuery, SearchLocations } from './location-query.ts';
import { isArabic, normalName } from './normalize-name.ts';
import { locationTypes } from './types.ts';
import type { PortalLocation, PortalNode } from './wire.ts';

export interface Crawl {
  /** Parents before children. */
  locations: Location[];
  /** Why it may not be complete, a sentence each; empty: it is. */
  doubts: string[];
}

export interface CrawlOptions {
  /** One of `cities`; absent: all of them. */
  city?: string | undefined;
  progress?: (done: number, total: number) => void;
}

/** Types of places that have places in them. */
const isInner = ({ type }: PortalNode): boolean => type !== 'tower';

/** Places whose names are searched as a check. */
const controls = 40;

export async function crawlLocations(search: SearchLocations, options: CrawlOptions): Promise<Crawl> {
  const crawl = new LocationCrawl(search, options);
  await crawl.readCities();
  if (await crawl.knewNotAll()) await crawl.readByAllNames();
  return crawl.result();
}

interface Term {
  name: string;
  nameAr?: string;
}

class LocationCrawl {
  readonly #search: SearchLocations;
  readonly #options: CrawlOptions;
  readonly #found = new Map<number, PortalLocation>();
  readonly #arabic = new Map<number, string>();
  readonly #doubts: string[] = [];

  constructor(search: SearchLocations, options: CrawlOptions) {
    this.#search = search;
    this.#options = options;
  }

  async readCities(): Promise<void> {
    const { city, progress } = this.#options;
    const terms = cities.filter(({ name }) => city === undefined || cityNamed(city)?.name === name);
    for (const [done, term] of terms.entries()) {
      progress?.(done, terms.length);
      await this.#readTerm(term);
    }
  }

  /** Searches some places by their own names, the emptiest first: what is missing is most likely below them. */
  async knewNotAll(): Promise<boolean> {
    const placesBelow = new Map<number, number>();
    for (const { path } of this.#found.values())
      for (const { id } of path) placesBelow.set(id, (placesBelow.get(id) ?? 0) + 1);
    const inner = [...this.#found.values()]
      .filter(location => isInner(location) && location.path.length > 1)
      .sort((one, other) => (placesBelow.get(one.id) ?? 0) - (placesBelow.get(other.id) ?? 0));
    for (const { name } of inner.slice(0, controls)) {
      const { locations } = await this.#search({ term: searchable(name) });
      if (locations.some(location => this.#isOurs(location) && !this.#found.has(location.id))) return true;
    }
    return false;
  }

  async readByAllNames(): Promise<void> {
    const asked = new Set<string>();
    for (;;) {
      const names = [...this.#found.values()].filter(isInner).map(({ name }) => searchable(name));
      const fresh = [...new Set(names)].filter(name => !asked.has(name));
      if (fresh.length === 0) return;
      for (const [done, name] of fresh.entries()) {
        this.#options.progress?.(done, fresh.length);
        asked.add(name);
        await this.#readTerm({ name });
      }
    }
  }

  result(): Crawl {
    const withArabic = ({ id, type, name }: PortalNode) => ({
      ...{ id, type, name },
      nameAr: this.#arabic.get(id) ?? null,
    });
    const locations = [...this.#found.values()]
      .map(({ path, coordinates, ...node }) => ({
        ...withArabic(node),
        places: path.map(withArabic),
        coordinates,
      }))
      .sort((one, other) => one.places.length - other.places.length || one.id - other.id);
    return { locations, doubts: this.#doubts };
  }

  async #readTerm({ name, nameAr }: Term): Promise<void> {
    const { total } = await this.#search({ term: name, perPage: 1 });
    let read = 0;
    for (const type of locationTypes) {
      if (read >= total) break;
      read += await this.#readType({ term: name, type }, nameAr);
    }
    if (read !== total)
      this.#doubts.push(`${name}: the portal says that there are ${total} locations and gave ${read}.`);
  }

  /** @returns how many rows came */
  async #readType(query: LocationQuery, nameAr: string | undefined): Promise<number> {
    const rows = await this.#readPages(query);
    for (const row of rows) if (this.#isOurs(row)) this.#keep(row);
    if (rows.length === 0) return 0;
    const arabic = await this.#readPages({ ...query, language: 'ar' });
    this.#keepArabic(arabic);
    // Whether a search in Arabic finds by English names too is not written anywhere.
    if (arabic.length < rows.length && nameAr !== undefined)
      this.#keepArabic(await this.#readPages({ ...query, term: nameAr, language: 'ar' }));
    return rows.length;
  }

  /** A list that changes while it is read, or whose pages do not fit, is read once more. */
  async #readPages(query: LocationQuery): Promise<PortalLocation[]> {
    const first = await readAllPages(this.#search, query);
    if (first.length === first.total) return first.rows;
    const second = await readAllPages(this.#search, query);
    if (second.length !== second.total && query.language !== 'ar')
      this.#doubts.push(
        `${query.term}, ${query.type}: of ${second.total} locations the pages gave ${second.length}.`,
      );
    return second.rows;
  }

  #isOurs({ path }: PortalLocation): boolean {
    const { city } = this.#options;
    return city === undefined || cityNamed(path[0]?.name ?? '')?.name === cityNamed(city)?.name;
  }

  /** A place above it counts as found: the portal may have it under a type that was not asked for. */
  #keep(location: PortalLocation): void {
    for (const [depth, node] of location.path.entries()) {
      const path = location.path.slice(0, depth + 1);
      if (!this.#found.has(node.id)) this.#found.set(node.id, { ...node, path, coordinates: null });
    }
    this.#found.set(location.id, location);
  }

  #keepArabic(rows: readonly PortalLocation[]): void {
    for (const { path } of rows)
      for (const { id, name } of path) if (isArabic(name)) this.#arabic.set(id, name);
  }
}

interface Pages {
  rows: PortalLocation[];
  /** Different rows. */
  length: number;
  total: number;
}

/** Ends early when a page brings nothing new: a portal that answers the same page for ever is not asked for ever. */
async function readAllPages(search: SearchLocations, query: LocationQuery): Promise<Pages> {
  const rows = new Map<number, PortalLocation>();
  for (let page = 1; ; page++) {
    const known = rows.size;
    const { locations, total } = await search({ ...query, page });
    for (const location of locations) rows.set(location.id, location);
    if (rows.size >= total || rows.size === known)
      return { rows: [...rows.values()], length: rows.size, total };
  }
}

/** What is searched for when a name is meant: the portal wants two characters at least. */
const searchable = (name: string): string => (normalName(name).length < 2 ? `${name} ${name}` : name);
