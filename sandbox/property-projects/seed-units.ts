/** Seed data: units of the projects. */
import { createRandom } from '../kit/random.ts';
import { seedProjects, seedUnitLayouts } from './seed-places.ts';

export interface Unit {
  id: number;
  project_id: number;
  number: string;
  floor: number;
  unit_type_id: number;
  layout_id: number;
  finish_id: number;
  bedrooms: number;
  bathrooms: number;
  size_sqft: number;
  price: number | null;
  currency: 'AED';
  status: 'available' | 'reserved' | 'sold';
}

export function seedUnits(): Unit[] {
  const random = createRandom('project units');
  const layouts = seedUnitLayouts();
  return seedProjects().flatMap(project =>
    Array.from({ length: random.whole(8, 140) }, (_, index): Unit => {
      const layout = random.pick(layouts.filter(({ unit_type_id: type }) => project.unit_type_ids.includes(type)));
      const floor = 1 + Math.floor(index / 6);
      return {
        id: project.id * 1_000 + index,
        project_id: project.id,
        number: `${floor}${String((index % 6) + 1).padStart(2, '0')}`,
        floor,
        unit_type_id: layout.unit_type_id,
        layout_id: layout.id,
        finish_id: random.whole(501, 505),
        bedrooms: layout.bedrooms,
        bathrooms: layout.bathrooms,
        size_sqft: layout.size_sqft,
        price: random.chance(0.05) ? null : layout.size_sqft * random.whole(900, 2_600),
        currency: 'AED',
        status: random.pick(['available', 'available', 'reserved', 'sold'] as const),
      };
    }),
  );
}
