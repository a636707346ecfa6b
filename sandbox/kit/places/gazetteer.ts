/** The places that the listing portal and the CRM know: real cities, communities and subcommunities, and made-up towers. */
import { createRandom } from '../random.ts';
import { abuDhabi, alAin } from './abu-dhabi.ts';
import { arabicName } from './arabic-names.ts';
import { dubai } from './dubai.ts';
import type { KnownCity, KnownCommunity } from './known-places.ts';
import { northernEmirates } from './northern-emirates.ts';
import { nameTowers } from './towers.ts';

export type PlaceType = 'CITY' | 'COMMUNITY' | 'SUBCOMMUNITY' | 'TOWER';

export interface Place {
  /** The listing portal's id. */
  id: number;
  type: PlaceType;
  name: string;
  nameAr: string;
  parent: Place | undefined;
  /** From the city down to the place itself. */
  path: readonly Place[];
  lat: number;
  lng: number;
}

const placeCount = 12_000;
const cities: readonly KnownCity[] = [dubai, abuDhabi, ...northernEmirates, alAin];

let made: readonly Place[] | undefined;

/** Always the same twelve thousand, parents before their children; not to be changed by who asks. */
export function gazetteer(): readonly Place[] {
  made ??= makeGazetteer();
  return made;
}

type Sketch = Omit<Place, 'id' | 'path'>;

function makeGazetteer(): readonly Place[] {
  const random = createRandom('gazetteer');
  const places: Place[] = [];
  let lastId = 0;

  const add = (sketch: Sketch): Place => {
    lastId += random.whole(1, 3);
    const place: Place = { id: lastId, ...sketch, path: [] };
    place.path = [...(sketch.parent?.path ?? []), place];
    places.push(place);
    return place;
  };
  const near = (degrees: number): number => Number((degrees + (random.next() - 0.5) / 100).toFixed(6));
  const below = (parent: Place, type: PlaceType, name: string, nameAr: string): Place =>
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
        const found = byName.get(name) ?? below(parent, 'SUBCOMMUNITY', name, arabicName(name));
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
    for (const { name, nameAr } of nameTowers(random, share)) below(home, 'TOWER', name, nameAr);
    towersLeft -= share;
    weightLeft -= weight;
  }
  return places;
}

/** A city lies where its first community does. */
function cityOf({ name, nameAr, communities: [first] }: KnownCity): Sketch {
  return { type: 'CITY', name, nameAr, parent: undefined, lat: first?.lat ?? 0, lng: first?.lng ?? 0 };
}

function communityOf({ name, nameAr, lat, lng }: KnownCommunity, parent: Place): Sketch {
  return { type: 'COMMUNITY', name, nameAr, parent, lat, lng };
}
