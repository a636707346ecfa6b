/** What a listing advertises is compared with what its permit allows. */
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { registeredFindings } from '../../../../../workers/pdf/lint/registered-rules.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

type Sent = Partial<z.input<typeof Listing>>;
const home = { purpose: 'Sale', property_type: 'Apartment', price: 'AED 2.15M', size: '742', bedroom: '1' };
const permit = {
  permitType: 'rera',
  price: '2150000',
  size: '742',
  bedrooms: '1',
  projectNumber: '',
  developer: '',
};
const rent = { purpose: 'Rent', price: '95000', rental_period: 'Yearly' };

it.each<[string, Sent, Partial<typeof permit>, string[]]>([
  ['nothing', {}, {}, []],
  ['a price', { price: '2100000' }, {}, ['permit-price /price']],
  ['no price on application', { price: '1', price_on_application: 'Yes' }, {}, []],
  ['no price in another currency', { price: 'USD 900,000' }, {}, []],
  ['no price that is a text', { price: 'Ask' }, {}, []],
  ['no price of a permit without one', { price: '1000000' }, { price: '' }, []],
  ['no price of a permit with 0', { price: '1000000' }, { price: '0' }, []],
  ['a yearly rent', rent, { price: '90000' }, ['permit-price /price']],
  ['no monthly rent', { ...rent, rental_period: 'Monthly' }, { price: '90000' }, []],
  ['a size', { size: '800' }, {}, ['permit-size /size']],
  ['no rounded size', { size: '750' }, {}, []],
  ['no size in square metres', {}, { size: '68.9' }, []],
  ['a number of bedrooms', { bedroom: '2' }, {}, ['permit-bedrooms /bedroom']],
  ['no maid’s room', { bedroom: '1 + Maid' }, {}, []],
  ['no studio', { bedroom: 'Studio' }, { bedrooms: '0' }, []],
  ['a studio with a bedroom', { bedroom: '0' }, { bedrooms: '1' }, ['permit-bedrooms /bedroom']],
  ['no missing bedrooms', { bedroom: '' }, {}, []],
  ['no bedrooms of an office', { property_type: 'Office', bedroom: '0' }, { bedrooms: '2' }, []],
])('%s differs', (_, listing, registered, expected) => {
  const sent = Listing.parse({ reference_number: 'R-1', title_en: 'Home', ...home, ...listing });
  const found = [...registeredFindings(sent, { ...permit, ...registered })];
  expect(found.map(({ code, field }) => `${code} ${field}`)).toEqual(expected);
});

it('names both values', () => {
  const sent = Listing.parse({ reference_number: 'R-1', title_en: 'Home', ...home, bedroom: '0', price: '2100000' });
  expect([...registeredFindings(sent, permit)].map(({ detail }) => detail)).toEqual([
    'The price is AED 2,100,000, but the permit is for AED 2,150,000; advertise the registered price, or have the permit changed.',
    'The listing has a studio, but the permit is for 1 bedroom; advertise the registered number.',
  ]);
});
