/** Seed data: the CRM's locations. Most come from the listing portal; the rest covers missing, renamed, duplicate and obsolete items. */
import { gazetteer, type Place } from '../../kit/places/gazetteer.ts';
import { createRandom, type Random } from '../../kit/random.ts';
import type { Row } from '../fields.ts';

const createdAt = '2024-03-04T09:00:00+03:00';
/** Places that are not in the CRM, including everything below them. */
const missingFromCrm = new Set(['Dubai Islands', 'Al Jurf', 'Sobha Siniya', 'Rixos Residences', 'Anya', 'Creek Edge']);

export function seedLocations(): Row[] {
  const random = createRandom('crm locations');
  const rows: Row[] = [];
  const idOf = new Map<Place, number>();
  let id = 500;
  const add = (fields: LocationFields): number => {
    id += random.whole(1, 2);
    rows.push(rowOf(id, fields));
    return id;
  };

  for (const place of gazetteer()) {
    if (isMissing(random, place)) continue;
    const parent = place.parent ? (idOf.get(place.parent) ?? null) : null;
    const fields: LocationFields = {
      title: titleInCrm(random, place),
      portalId: random.chance(0.97) ? String(place.id) : '',
      type: place.type,
      parent,
      nameAr: place.nameAr,
    };
    idOf.set(place, add(fields));
    if (place.type !== 'TOWER') continue;
    if (random.chance(0.002)) add({ ...fields, portalId: '' }); // A duplicate title.
    if (random.chance(0.0005)) add({ ...fields, title: `${fields.title} (old)` }); // Two items with the same portal id.
  }
  for (let closed = 1; closed <= 40; closed += 1) {
    const title = `Demolished Block ${closed}, Al Karama, Bur Dubai, Dubai`;
    add({
      title,
      portalId: random.chance(0.5) ? String(900_000 + closed) : '',
      type: 'TOWER',
      parent: null,
      nameAr: '',
    });
  }
  return rows;
}

function isMissing(random: Random, place: Place): boolean {
  if (place.path.some(({ name, type }) => type !== 'TOWER' && missingFromCrm.has(name))) return true;
  return place.type === 'TOWER' && random.chance(0.075);
}

interface LocationFields {
  title: string;
  portalId: string;
  type: string;
  parent: number | null;
  nameAr: string;
}

/** "leaf, …, community, city"; one title in 25 differs from the portal's spelling. */
function titleInCrm(random: Random, place: Place): string {
  const names = place.path.map(({ name }) => name).reverse();
  const title = names.join(', ');
  const chance = random.next();
  if (place.type !== 'TOWER' || chance > 0.04) return title;
  if (chance < 0.01) return title.toUpperCase();
  if (chance < 0.02) return title.replaceAll(' ', '  ');
  if (chance < 0.03) return title.replaceAll(',', ' ,');
  return [`${names[0]} (former name)`, ...names.slice(1)].join(', ');
}

function rowOf(id: number, { title, portalId, type, parent, nameAr }: LocationFields): Row {
  return {
    ID: id,
    TITLE: title,
    XML_ID: '',
    CATEGORY_ID: 30,
    STAGE_ID: 'DT1222_30:NEW',
    OPENED: 'Y',
    ASSIGNED_BY_ID: 1,
    CREATED_BY: 1,
    UPDATED_BY: 1,
    CREATED_TIME: createdAt,
    UPDATED_TIME: createdAt,
    UF_CRM_8_PORTAL_ID: portalId,
    UF_CRM_8_TYPE: type,
    UF_CRM_8_PARENT: parent,
    UF_CRM_8_NAME_AR: nameAr,
  };
}
