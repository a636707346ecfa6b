/** The places of the listing portal and the CRM: real cities, communities and subcommunities, and invented towers. */
import { once } from '../once.ts';
import { createRandom, type Random } from '../random.ts';
import { abuDhabi, alAin } from './abu-dhabi.ts';
import { arabicName } from './arabic-names.ts';
import { dubai } from './dubai.ts';
import type { KnownCity, KnownCommunity } from './known-places.ts';
import { northernEmirates } from './northern-emirates.ts';

export type PlaceType = 'CITY' | 'COMMUNITY' | 'SUBCOMMUNITY' | 'TOWER';

export interface Place {
  /** The listing portal's id. */
  id: number;
  type: PlaceType;
  name: string;
  nameAr: string;
  parent: Place | undefined;
  /** From the city to the place itself. */
  path: readonly Place[];
  lat: number;
  lng: number;
}

/** The listing portal has about as many. Tests use fewer. */
const placeCount = Number(process.env.SANDBOX_PLACES || 12_000);
const cities: readonly KnownCity[] = [dubai, abuDhabi, ...northernEmirates, alAin];

/** The same places each time, parents before children. */
export const gazetteer: () => readonly Place[] = once(makeGazetteer);

type PlaceDraft = Omit<Place, 'id' | 'path'>;

function makeGazetteer(): readonly Place[] {
  const random = createRandom('gazetteer');
  const places: Place[] = [];
  let lastId = 0;

  const add = (draft: PlaceDraft): Place => {
    lastId += random.whole(1, 3);
    const place: Place = { id: lastId, ...draft, path: [] };
    place.path = [...(draft.parent?.path ?? []), place];
    places.push(place);
    return place;
  };
  const near = (degrees: number): number => Number((degrees + (random.next() - 0.5) / 100).toFixed(6));
  const addBelow = (parent: Place, type: PlaceType, name: string, nameAr: string): Place =>
    add({ type, name, nameAr, parent, lat: near(parent.lat), lng: near(parent.lng) });

  const cityPlaces = cities.map(city => ({ city, place: add(cityOf(city)) }));
  const communities = cityPlaces.flatMap(({ city, place }) =>
    city.communities.map(known => ({ known, place: add(communityOf(known, place)) })),
  );
  const subcommunities = communities.flatMap(({ known, place }) => addSubcommunities(known, place));

  function addSubcommunities(known: KnownCommunity, place: Place): Place[] {
    const byName = new Map<string, Place>();
    for (const path of known.subcommunities) {
      let parent = place;
      for (const name of path.split(' > ')) {
        const found = byName.get(name) ?? addBelow(parent, 'SUBCOMMUNITY', name, arabicName(name));
        byName.set(name, found);
        parent = found;
      }
    }
    return [...byName.values()];
  }

  const homes = [...communities.map(({ place }) => place), ...subcommunities];
  const weights = homes.map(() => 0.3 + random.next());
  const towers = placeCount - places.length;
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  let towersLeft = towers;
  for (const [index, home] of homes.entries()) {
    const weight = weights[index] ?? 0;
    const share = Math.round((towersLeft * weight) / weightLeft);
    for (const { name, nameAr } of nameTowers(random, share)) addBelow(home, 'TOWER', name, nameAr);
    towersLeft -= share;
    weightLeft -= weight;
  }
  return places;
}

/** A city has the coordinates of its first community. */
function cityOf({ name, nameAr, communities: [first] }: KnownCity): PlaceDraft {
  return { type: 'CITY', name, nameAr, parent: undefined, lat: first?.lat ?? 0, lng: first?.lng ?? 0 };
}

function communityOf({ name, nameAr, lat, lng }: KnownCommunity, parent: Place): PlaceDraft {
  return { type: 'COMMUNITY', name, nameAr, parent, lat, lng };
}

const firstWords =
  'Pearl,Marina,Palm,Golden,Silver,Blue,Green,Sky,Sea,Sunset,Sunrise,Star,Moon,Desert,Oasis,Royal,Crystal,Park,Lake,Golf,Garden,Falcon,Azure,Iris,Jasmine,Orchid,Lotus,Opal,Coral,Amber,Ivory,Cedar,Sahara,Al Noor,Al Waha,Al Manara,Al Safa,Al Fajr,Al Badia,Al Seef,Zain,Noura,Sama,Hayat,Rimal,Dana,Yasmin,Lamar,Tala,Nova'.split(
    ',',
  );
const kinds = ['Tower', 'Residence', 'Heights', 'Court', 'House', 'Plaza', 'Gardens', 'Terrace'];

interface TowerName {
  name: string;
  nameAr: string;
}

/** Draws names of towers: unique within a parent, repeated in other communities. */
function nameTowers(random: Random, count: number): TowerName[] {
  const names = new Map<string, TowerName>();
  const numbered = random.chance(0.35);
  while (names.size < count) {
    const name = numbered && names.size < 30 ? `Building ${names.size + 1}` : drawName(random);
    names.set(name, { name, nameAr: arabicName(name) });
  }
  return [...names.values()];
}

function drawName(random: Random): string {
  const name = `${random.pick(firstWords)} ${random.pick(kinds)}`;
  if (random.chance(0.55)) return name;
  return `${name} ${random.chance(0.5) ? random.whole(1, 6) : random.pick(['A', 'B', 'C', 'D'])}`;
}
