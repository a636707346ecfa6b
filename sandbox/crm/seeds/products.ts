/** Seed data: the product catalogue, 40 homes. */
import { createRandom } from '../../kit/random.ts';
import type { Row } from '../fields.ts';
import { ascendingTimes, portalTime } from '../portal-time.ts';

export function seedProducts(): Row[] {
  const random = createRandom('crm products');
  return ascendingTimes(random, 40).map((created, index) => {
    const id = (index + 1) * 2;
    return {
      ID: id,
      NAME: `Listing ${id}`,
      CODE: `listing-${id}`,
      ACTIVE: random.chance(0.9) ? 'Y' : 'N',
      CATALOG_ID: 24,
      SECTION_ID: random.chance(0.5) ? 12 : null,
      PRICE: random.whole(600, 9_000) * 1_000,
      CURRENCY_ID: 'AED',
      DESCRIPTION: random.chance(0.5) ? '<b>Vacant</b>, near the metro.' : null,
      DESCRIPTION_TYPE: 'html',
      SORT: 500,
      XML_ID: String(id),
      VAT_ID: null,
      VAT_INCLUDED: 'N',
      MEASURE: 9,
      PREVIEW_PICTURE: null,
      DETAIL_PICTURE: null,
      DATE_CREATE: portalTime(created),
      TIMESTAMP_X: portalTime(created),
      CREATED_BY: 1,
      MODIFIED_BY: 1,
      // A custom property with several values: legacy methods send text with an id for each.
      PROPERTY_98: [{ valueId: String(id * 5), value: `MP-S-${random.whole(1000, 9999)}` }],
    };
  });
}
