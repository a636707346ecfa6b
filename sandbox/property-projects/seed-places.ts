/** Seed data: emirates, districts, developers, projects, amenities, unit types, finishes and layouts. */
import { gazetteer } from '../kit/places/gazetteer.ts';
import { createRandom } from '../kit/random.ts';

export interface Named {
  id: number;
  name: string;
  name_ar?: string;
}
export interface District extends Named {
  emirate_id: number;
  lat: number;
  lng: number;
}
export interface Developer extends Named {
  website: string;
  logo_url: string | null;
}
export interface Project extends Named {
  developer_id: number;
  emirate_id: number;
  district_id: number;
  status: 'off_plan' | 'ready';
  /** YYYY-MM */
  completion_date: string | null;
  starting_price: number | null;
  currency: 'AED';
  amenity_ids: number[];
  unit_type_ids: number[];
  description: string;
  cover_url: string | null;
  updated_at: string;
}
export interface UnitLayout extends Named {
  unit_type_id: number;
  bedrooms: number;
  bathrooms: number;
  size_sqft: number;
}

const named = (names: readonly string[], firstId: number): Named[] =>
  names.map((name, index) => ({ id: firstId + index, name }));

/** The capital of each emirate; Al Ain belongs to the emirate of Abu Dhabi. */
const cities = () => gazetteer().filter(({ type, name }) => type === 'CITY' && name !== 'Al Ain');

export const seedEmirates = (): Named[] =>
  cities().map(({ name, nameAr }, index) => ({ id: index + 1, name, name_ar: nameAr }));

export function seedDistricts(): District[] {
  const emirates = cities();
  return gazetteer()
    .filter(({ type }) => type === 'COMMUNITY')
    .flatMap(({ parent, name, nameAr, lat, lng }, index) => {
      const emirate = parent === undefined ? -1 : emirates.indexOf(parent);
      if (emirate < 0) return [];
      return [{ id: 1_000 + index, name, name_ar: nameAr, emirate_id: emirate + 1, lat, lng }];
    });
}

const developerNames =
  'Azure Coast,Al Waha Living,Bayt Al Bahr,Cedar & Sand,Crescent Works,Dune Line,Eastern Quay,Falcon Ridge,Ghaf Tree,Harbour & Heights,Iris Estates,Jasmine Court,Khor Developments,Lantern Homes,Marsa Living,Nakhla Group,Oryx Residences,Palm Meridian,Qasr Homes,Rimal,Saffron Urban,Tilal,Vantage Gulf,Wadi Works'.split(
    ',',
  );

export const seedDevelopers = (): Developer[] =>
  named(developerNames, 201).map(developer => ({
    ...developer,
    website: `https://www.${developer.name.toLowerCase().replace(/\W+/g, '-')}.example`,
    logo_url: null,
  }));

export const seedAmenities = (): Named[] =>
  named(
    'Shared pool,Private pool,Gym,Concierge,Covered parking,Children’s play area,Barbecue area,Beach access,Marina berth,Pets allowed,Sauna,Padel court,Co-working space,Prayer room,Retail on site,Electric car charging,Smart home,Maid’s room,Study,Balcony'.split(
      ',',
    ),
    301,
  );
export const seedUnitTypes = (): Named[] =>
  named(['Apartment', 'Villa', 'Townhouse', 'Penthouse', 'Duplex', 'Hotel apartment', 'Office', 'Retail'], 401);
export const seedFinishes = (): Named[] =>
  named(['Shell and core', 'Standard', 'Premium', 'Fully furnished', 'Branded interior'], 501);

export function seedUnitLayouts(): UnitLayout[] {
  const types = seedUnitTypes().slice(0, 5);
  return types.flatMap((type, typeIndex) =>
    [0, 1, 2, 3, 4, 5].map(bedrooms => ({
      id: 601 + typeIndex * 6 + bedrooms,
      name: bedrooms === 0 ? `${type.name}, studio` : `${type.name}, ${bedrooms} bedrooms`,
      unit_type_id: type.id,
      bedrooms,
      bathrooms: Math.max(1, bedrooms),
      size_sqft: 420 + bedrooms * 460 + typeIndex * 350,
    })),
  );
}

const firstWords =
  'Azure Coral Emerald Garden Golden Harbour Ivory Lagoon Marina Opal Palm Pearl Saffron Sapphire Silver Sunset'.split(
    ' ',
  );
const secondWords =
  'Bay Court Crescent Gate Gardens Heights House Park Point Residences Square Terraces Tower Vista Views Walk'.split(
    ' ',
  );

export function seedProjects(): Project[] {
  const random = createRandom('projects');
  const districts = seedDistricts();
  const developers = seedDevelopers();
  return Array.from({ length: 230 }, (_, index) => {
    const district = random.pick(districts);
    const ready = random.chance(0.35);
    const name = `${firstWords[index % firstWords.length]} ${secondWords[Math.floor(index / firstWords.length) % secondWords.length]}`;
    return {
      id: 7_001 + index,
      name,
      developer_id: random.pick(developers).id,
      emirate_id: district.emirate_id,
      district_id: district.id,
      status: ready ? 'ready' : 'off_plan',
      completion_date: ready ? null : `20${random.whole(26, 29)}-${String(random.whole(1, 12)).padStart(2, '0')}`,
      starting_price: random.chance(0.1) ? null : random.whole(6, 90) * 100_000,
      currency: 'AED',
      amenity_ids: [301, 303, 305, 301 + random.whole(5, 19)],
      unit_type_ids: [401, 401 + random.whole(1, 4)],
      description: `${name} in ${district.name}.`,
      cover_url: null,
      updated_at: `2026-0${random.whole(1, 5)}-${random.whole(10, 28)}T08:00:00Z`,
    };
  });
}
