/** Seed data: the listing portal's locations, all places of the gazetteer with their path from the city. */
import { once } from '../kit/once.ts';
import { gazetteer, type PlaceType } from '../kit/places/gazetteer.ts';

export interface LocationName {
  id: number;
  type: PlaceType;
  name: string;
  nameAr: string;
}

export interface PortalLocation extends LocationName {
  tree: readonly LocationName[];
  lat: number;
  lng: number;
}

export const seedPortalLocations: () => readonly PortalLocation[] = once(makePortalLocations);

function makePortalLocations(): PortalLocation[] {
  const trees = new Map<number, readonly LocationName[]>();
  return gazetteer().map(({ id, type, name, nameAr, parent, lat, lng }) => {
    const tree = [...(trees.get(parent?.id ?? 0) ?? []), { id, type, name, nameAr }];
    trees.set(id, tree);
    return { id, type, name, nameAr, tree, lat, lng };
  });
}
