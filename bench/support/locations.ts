/** Generates locations with names like those in the UAE, the same ones in every run. */

import type { Location, Place } from '../../core/integrations/listing-portal/location.ts';
import { cities } from '../../core/integrations/listing-portal/names.ts';

/** Words are combined by index; the numbers of words have no common divisor, so that names differ. */
const firstWords =
  'Al Noor|Palm|Marina|Dubai|Jumeirah|Bay|Business|Lake|Emirates|Burj|Royal|Creek|Oasis|Meadow|Spring|Sapphire|Opal|Al Reem|Saadiyat|Yas|Al Barsha|Mirdif|Arabian|Golden|Silver|Desert|Coral|Pearl|Falcon|Gazelle|Cedar'.split(
    '|',
  );
const secondWords =
  'Residences|Heights|Gate|Views|Hills|Gardens|Bay|Marina|Village|Towers|Park|Terraces|Plaza|Court|House|Lofts|Square|Ranches|Island|Shores|Point|Crescent|Avenue|Boulevard|Quarter|Villas|Grove|Harbour|Pavilion'.split(
    '|',
  );
const firstWordsAr = 'النور|النخلة|مارينا|دبي|جميرا|الخليج|الأعمال|البحيرة|الإمارات|برج|الملكي|الخور|الواحة'.split('|');
const secondWordsAr = 'ريزيدنس|المرتفعات|البوابة|فيوز|التلال|الحدائق|القرية|الأبراج|الحديقة|الساحة|الجزيرة'.split('|');

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

function named(id: number, type: string): Place {
  const [one, other] = [id, Math.floor(id / firstWords.length)];
  return {
    id,
    type,
    name: `${pick(firstWords, one)} ${pick(secondWords, other)} ${id % 997}`,
    nameAr: `${pick(firstWordsAr, one)} ${pick(secondWordsAr, other)} ${id % 997}`,
  };
}

/** 8 cities; a community for every 100 places, a subcommunity for every 10. */
export function generateLocations(count: number): Location[] {
  const locations: Location[] = [];
  const add = (place: Place, ancestors: readonly Place[]): Place[] => {
    const places = [...ancestors, place];
    locations.push({ ...place, places, coordinates: { lat: 25, lng: 55 } });
    return places;
  };
  const roots = cities.map((city, index) => add({ id: index + 1, type: 'city', ...city }, []));
  let community: Place[] = [];
  let subcommunity: Place[] = [];
  for (let id = roots.length + 1; id <= count; id++) {
    if (id % 100 === 9) community = add(named(id, 'community'), roots[id % roots.length] ?? []);
    else if (id % 10 === 0) subcommunity = add(named(id, 'subcommunity'), community);
    else add(named(id, 'tower'), id % 3 === 0 ? community : subcommunity);
  }
  return locations;
}
