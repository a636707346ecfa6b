/**
 * Reads all locations of the listing portal. The portal has no list of them: it answers searches, which match the names
 * of the whole path. The crawl searches each city's name, type by type, in English and then in Arabic.
 *
 * It is complete when each search returned as many distinct rows as its total, a city's types add up to the total of the
 * city, searches for the names of some places in it found nothing new, and it found the locations that other sources know.
 * Otherwise it searches the names of all places found and known, until nothing new appears.
 */
import { type Location, type LocationQuery, locationTypes, type Place, type SearchLocations } from './location.ts';
import { cities, findCity, isArabic, normalizeName } from './names.ts';
import type { PortalLocation, PortalNode } from './wire.ts';

export interface Crawl {
  /** Parents before children. */
  locations: Location[];
  /** Ids of locations that could not be read: they exist. */
  unreadable: number[];
  /** Locations that the portal has, and no search returned: there are more of them. */
  missed: Location[];
  /** Reasons why it may be incomplete, a sentence each; empty: it is complete. */
  warnings: string[];
}

export interface CrawlOptions {
  /** One of `cities`; absent: all of them. */
  city?: string | undefined;
  progress?: (done: number, total: number) => void;
  known?: KnownPlaces;
}

/** What other sources know about the portal's locations. */
export interface KnownPlaces {
  /** Names by id of some locations that were not found; '' for a name that is not known. */
  missing(isFound: (id: number) => boolean): Promise<ReadonlyMap<number, string>>;
  /** Names of places that contain others. */
  parents(): Promise<readonly string[]>;
}

/** Whether places of this type contain other places. */
const isInner = ({ type }: Pick<Place, 'type'>): boolean => type !== 'tower';

/** Number of places whose names are searched to check the crawl. */
const sampleSize = 40;

export async function crawlLocations(search: SearchLocations, options: CrawlOptions): Promise<Crawl> {
  const crawl = new LocationCrawl(search, options);
  await crawl.readCities();
  const hasMissed = await crawl.lookUpMissing();
  if (hasMissed || (await crawl.isIncomplete())) await crawl.readAllNames();
  return crawl.result();
}

class LocationCrawl {
  readonly #search: SearchLocations;
  readonly #options: CrawlOptions;
  readonly #found = new Map<number, Location>();
  /** One object for each place, shared by all paths. */
  readonly #places = new Map<number, Place>();
  readonly #unreadable = new Set<number>();
  /** Found by their ids, after no search of a city returned them. */
  readonly #lookedUp: PortalLocation[] = [];
  readonly #warnings: string[] = [];

  constructor(search: SearchLocations, options: CrawlOptions) {
    this.#search = search;
    this.#options = options;
  }

  async readCities(): Promise<void> {
    const { city, progress } = this.#options;
    const terms = cities.filter(({ name }) => city === undefined || findCity(city)?.name === name);
    for (const [done, term] of terms.entries()) {
      progress?.(done, terms.length);
      await this.#readTerm(term);
    }
  }

  /** Looks up by their ids some of the known locations that were not found. @returns whether the portal has one of them */
  async lookUpMissing(): Promise<boolean> {
    const { known } = this.#options;
    const missing = (await known?.missing(id => this.#found.has(id) || this.#unreadable.has(id))) ?? new Map();
    for (const [id, name] of missing) {
      const { locations } = await this.#search({ term: searchable(name || 'Dubai'), id });
      const location = locations.find(row => row.id === id && this.#isOurs(row));
      if (location) this.#lookedUp.push(location);
    }
    return this.#lookedUp.length > 0;
  }

  /** Searches some places by their own names, those with the fewest places below them first: gaps are likeliest there. */
  async isIncomplete(): Promise<boolean> {
    const placesBelow = new Map<number, number>();
    for (const { places } of this.#found.values())
      for (const { id } of places) placesBelow.set(id, (placesBelow.get(id) ?? 0) + 1);
    const inner = [...this.#found.values()]
      .filter(location => isInner(location) && location.places.length > 1)
      .sort((one, other) => (placesBelow.get(one.id) ?? 0) - (placesBelow.get(other.id) ?? 0));
    for (const { name } of inner.slice(0, sampleSize)) {
      const { locations } = await this.#search({ term: searchable(name) });
      if (locations.some(location => this.#isOurs(location) && !this.#found.has(location.id))) return true;
    }
    return false;
  }

  async readAllNames(): Promise<void> {
    const searched = new Set<string>();
    const known = (await this.#options.known?.parents()) ?? [];
    const above = this.#lookedUp.flatMap(({ path }) => path.filter(isInner).map(({ name }) => name));
    for (;;) {
      const found = [...this.#found.values()].filter(isInner).map(({ name }) => name);
      const names = [...found, ...above, ...known].map(searchable);
      const fresh = [...new Set(names)].filter(name => !searched.has(name));
      if (fresh.length === 0) return;
      for (const [done, name] of fresh.entries()) {
        this.#options.progress?.(done, fresh.length);
        searched.add(name);
        await this.#readTerm({ name });
      }
    }
  }

  result(): Crawl {
    const missed = this.#lookedUp.filter(({ id }) => !this.#found.has(id));
    // They exist, so that they are not gone.
    for (const location of missed) this.#add(location);
    for (const location of this.#found.values()) location.nameAr = this.#places.get(location.id)?.nameAr ?? null;
    const locations = [...this.#found.values()].sort(
      (one, other) => one.places.length - other.places.length || one.id - other.id,
    );
    return {
      locations,
      unreadable: [...this.#unreadable],
      missed: missed.flatMap(({ id }) => this.#found.get(id) ?? []),
      warnings: this.#warnings,
    };
  }

  async #readTerm({ name, nameAr }: { name: string; nameAr?: string }): Promise<void> {
    const { total } = await this.#search({ term: name, perPage: 1 });
    let read = 0;
    for (const type of locationTypes) {
      if (read >= total) break;
      read += await this.#readType({ term: name, type }, nameAr);
    }
    if (read !== total) this.#warnings.push(`${name}: the portal counted ${total} locations and returned ${read}.`);
  }

  /** @returns the number of rows received */
  async #readType(query: LocationQuery, nameAr: string | undefined): Promise<number> {
    const { rows, received, unreadable } = await this.#readPages(query);
    for (const row of rows) if (this.#isOurs(row)) this.#add(row);
    for (const id of unreadable) this.#unreadable.add(id);
    if (received === 0) return 0;
    const arabic = await this.#readPages({ ...query, language: 'ar' });
    this.#addArabic(arabic.rows);
    // It is not documented whether a search in Arabic also matches English names.
    if (arabic.received < received && nameAr !== undefined)
      this.#addArabic((await this.#readPages({ ...query, term: nameAr, language: 'ar' })).rows);
    return received;
  }

  /** Reads a list once more when it changed meanwhile, or when its pages do not add up. */
  async #readPages(query: LocationQuery): Promise<Pages> {
    const first = await readAllPages(this.#search, query);
    if (first.received === first.total) return first;
    const second = await readAllPages(this.#search, query);
    if (second.received !== second.total && query.language !== 'ar')
      this.#warnings.push(
        `${query.term}, ${query.type}: the pages returned ${second.received} of ${second.total} locations.`,
      );
    return second;
  }

  #isOurs({ path }: PortalLocation): boolean {
    const { city } = this.#options;
    return city === undefined || findCity(path[0]?.name ?? '')?.name === findCity(city)?.name;
  }

  /** Adds the places above it too: the portal may have them under a type that was not searched. */
  #add({ id, path, coordinates }: PortalLocation): void {
    const places = path.map(node => this.#place(node));
    for (const [depth, place] of places.entries())
      if (place.id === id || !this.#found.has(place.id))
        this.#found.set(place.id, { ...place, places: places.slice(0, depth + 1), coordinates: null });
    const location = this.#found.get(id);
    if (location) location.coordinates = coordinates;
  }

  #place({ id, type: given, name }: PortalNode): Place {
    // One string for each type, not for each place.
    const type = locationTypes.find(known => known === given) ?? given;
    const place = this.#places.get(id) ?? { id, type, name, nameAr: null };
    this.#places.set(id, place);
    return place;
  }

  #addArabic(rows: readonly PortalLocation[]): void {
    for (const { path } of rows)
      for (const { id, name } of path) {
        const place = this.#places.get(id);
        if (place && isArabic(name)) place.nameAr = name;
      }
  }
}

interface Pages {
  /** Distinct rows. */
  rows: PortalLocation[];
  unreadable: number[];
  /** Distinct rows, with those that could not be read. */
  received: number;
  total: number;
}

/** Ends early at a page without new rows, so that a portal that repeats a page does not cause an endless loop. */
async function readAllPages(search: SearchLocations, query: LocationQuery): Promise<Pages> {
  const rows = new Map<number, PortalLocation>();
  const bad = new Set<number>();
  const received = () => rows.size + bad.size;
  for (let page = 1; ; page++) {
    const known = received();
    const { locations, unreadable = [], total } = await search({ ...query, page });
    for (const location of locations) rows.set(location.id, location);
    for (const id of unreadable) bad.add(id);
    if (received() >= total || received() === known)
      return { rows: [...rows.values()], unreadable: [...bad], received: received(), total };
  }
}

/** The search term for a name: the portal requires at least two characters. */
const searchable = (name: string): string => (normalizeName(name).length < 2 ? `${name} ${name}` : name);
