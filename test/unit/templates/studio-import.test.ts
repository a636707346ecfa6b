/** What people paste into the studio: exports of portals, CRMs and spreadsheets, with their names of columns and their texts. */
import { beforeEach, describe, expect, it, vi } from 'vitest';

const folder = new URL('../../../templates/studio/', import.meta.url);
const open = (name: string) => import(new URL(`${name}.js`, folder).href);
const { readRecords } = await open('records');
const { isKnownColumn, listingsOf, proposedPaths, rememberPaths } = await open('columns');

const vocabulary = { purpose: ['Rent', 'Sale'], property_type: ['Apartment', 'Villa'], completion_status: ['Ready'] };

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
});

function listings(text: string): Record<string, unknown>[] {
  const records = readRecords(text, isKnownColumn);
  return records ? listingsOf(records, proposedPaths(records, vocabulary), []) : [];
}

const listing = (text: string) => {
  const all = listings(text);
  expect(all).toHaveLength(1);
  return all[0];
};

describe('an export with the names of the Bayut feed', () => {
  const names =
    'Property_Ref_No;Permit_Number;Property_Status;Property_purpose;Property_Type;Property_Title;Property_Title_AR;' +
    'Property_Description;Locality;Sub_Locality;Tower_Name;Bedrooms;Bathroom;Property_Size;Price;Rent_Frequency;' +
    'Features;Images_1;Images_2;Listing_Agent;Listing_Agent_Phone;Listing_Agent_Email';
  const row =
    'EMO-77;71400012345;live;Rent;VH;"🔥 HOT DEAL 🏡 | 4BR; ""Single Row"" ✨";"فيلا من أربع غرف";' +
    '"🏡 4 Bedrooms + Maid\r\n✅ Landscaped garden; pool\r\n💰 Price: AED 6.2M";Arabian Ranches 2;Lila;;4;5;3,100;' +
    '"6,200,000 AED";yearly;"central-ac|balcony|view-of-water";https://p.example/08.jpg;https://p.example/09.jpg;' +
    'Ekaterina Ivanova-Petrovskaya;+971 55 987 6543;e@example-realty.ae';
  const expected = {
    reference_number: 'EMO-77',
    permit_number: '71400012345',
    purpose: 'Rent',
    property_type: 'VH',
    title_en: '🔥 HOT DEAL 🏡 | 4BR; "Single Row" ✨',
    title_ar: 'فيلا من أربع غرف',
    description_en: '🏡 4 Bedrooms + Maid\r\n✅ Landscaped garden; pool\r\n💰 Price: AED 6.2M',
    community: 'Arabian Ranches 2',
    sub_community: 'Lila',
    bedroom: '4',
    bathroom: '5',
    size: '3,100',
    price: '6,200,000 AED',
    rental_period: 'yearly',
    amenities: 'central-ac, balcony, view-of-water',
    photo: ['https://p.example/08.jpg', 'https://p.example/09.jpg'],
    agent: { name: 'Ekaterina Ivanova-Petrovskaya', phone: '+971 55 987 6543', email: 'e@example-realty.ae' },
  };

  it.each([
    ['semicolons, a byte order mark and Windows line breaks', `\uFEFF${names}\r\n${row}\r\n`],
    ['the line in which Excel names the separator', `sep=;\r\n${names}\r\n${row}`],
    ['empty rows', `${names}\n${row}\n;;;\n\n`],
  ])('is read with %s', (_, text) => expect(listing(text)).toEqual(expected));

  it('is read from the clipboard of a spreadsheet', () => {
    const cells = names.split(';').join('\t');
    expect(listing(`${cells}\n${'LP12345\t71400012345\tlive\tSale'}`)).toEqual({
      reference_number: 'LP12345',
      permit_number: '71400012345',
      purpose: 'Sale',
    });
  });
});

describe('a sheet of a brokerage', () => {
  it('is read with its short names, commas in texts, and lists of addresses in one cell', () => {
    const text = `Ref No.,Type,Sale/Rent,Beds,BUA (sq ft),Asking Price (AED),Images,Agent,Mobile,Owner phone
A-1,Villa,Sale,3 + Maid,"3,050","AED 3.2M","https://p.example/1.jpg, https://p.example/2.jpg",Wei 王伟 Zhang,+971501234501,+971500000000`;
    expect(listing(text)).toEqual({
      reference_number: 'A-1',
      property_type: 'Villa',
      purpose: 'Sale',
      bedroom: '3 + Maid',
      size: '3,050',
      price: 'AED 3.2M',
      photo: ['https://p.example/1.jpg', 'https://p.example/2.jpg'],
      agent: { name: 'Wei 王伟 Zhang', phone: '+971501234501' },
    });
  });

  it('gives one row without names the fields that its values tell', () => {
    const row = [
      'RR-R-881\tRent\tApartment\tChiller free, near the metro station\t95,000\t1\t2\t812',
      '71400012345\thttps://p.example/22.jpg\tahmed@example-realty.ae\t+971501234501',
    ].join('\t');
    expect(listing(row)).toEqual({
      reference_number: 'RR-R-881',
      purpose: 'Rent',
      property_type: 'Apartment',
      title_en: 'Chiller free, near the metro station',
      price: '95,000',
      bedroom: '1',
      bathroom: '2',
      size: '812',
      permit_number: '71400012345',
      photo: ['https://p.example/22.jpg'],
      agent: { email: 'ahmed@example-realty.ae', phone: '+971501234501' },
    });
  });

  it('is remembered with the fields that a person chose, for other sheets with the same names', () => {
    const records = readRecords('Ref,Title,Our note\n1,Villa,quiet', isKnownColumn);
    expect(proposedPaths(records, vocabulary)).toEqual(['reference_number', 'title_en', '']);
    rememberPaths(records, ['crm_id', 'title_en', 'views'], vocabulary);
    const later = readRecords('OUR NOTE,price,ref\nquiet,1,2', isKnownColumn);
    expect(proposedPaths(later, vocabulary)).toEqual(['views', 'price', 'crm_id']);
  });
});

describe('JSON', () => {
  it('is read from the search of the Bayut API', () => {
    const record = {
      id: 13542302,
      title: '1BR Golf Course Views',
      reference_number: 'ALI-RH-001',
      purpose: 'for-sale',
      type: { main: 'Residential', sub: 'Apartments' },
      price: 1600000,
      area: { built_up: 745, plot: null, unit: 'sqft' },
      details: { bedrooms: 1, bathrooms: 1, is_furnished: false, completion_status: 'under-construction' },
      location: {
        city: { id: 2, name: 'Dubai' },
        community: { id: 53, name: 'Dubai Hills Estate' },
        coordinates: { lat: 25.129889, lng: 55.262778 },
      },
      agency: { id: 103201, name: 'Real Tree Properties' },
      agent: { id: 2248813, name: 'Ali M.', contact: { mobile: '+971500000000', phone: '' } },
      amenities: ['Gym or Health Club', 'Swimming Pool'],
      media: { photo_count: 2, photos: ['https://p.example/1.jpeg', 'https://p.example/2.jpeg'] },
      legal: { permit_number: '71774279309' },
      project: { id: 2838, developer: { name: 'Emaar' } },
    };
    expect(listing(JSON.stringify({ results: [record], count: 1 }))).toEqual({
      crm_id: '13542302',
      title_en: '1BR Golf Course Views',
      reference_number: 'ALI-RH-001',
      purpose: 'for-sale',
      property_type: 'Apartments',
      price: '1600000',
      size: '745',
      bedroom: '1',
      bathroom: '1',
      furnished: 'No',
      completion_status: 'under-construction',
      city: 'Dubai',
      community: 'Dubai Hills Estate',
      geopoints: '25.129889,55.262778',
      agent: { name: 'Ali M.', phone: '+971500000000' },
      amenities: 'Gym or Health Club, Swimming Pool',
      photo: ['https://p.example/1.jpeg', 'https://p.example/2.jpeg'],
      permit_number: '71774279309',
      developer: 'Emaar',
    });
  });

  it('is read from the listing of the Property Finder API, and from an answer of the CRM', () => {
    const images = [{ original: { url: 'https://p.example/1.jpg', width: 1 } }];
    expect(
      listing(
        JSON.stringify({
          reference: 'PF-1',
          title: { en: 'Loft', ar: 'شقة' },
          price: { type: 'sale', amounts: { sale: 7350000 } },
          bedrooms: 'studio',
          media: { images },
          compliance: { listingAdvertisementNumber: '71400012345' },
          assignedTo: { id: 7, name: 'Layla Haddad' },
          furnishingType: 'semi-furnished',
          projectStatus: 'off_plan',
          location: { id: 50 },
        }),
      ),
    ).toEqual({
      reference_number: 'PF-1',
      title_en: 'Loft',
      title_ar: 'شقة',
      price: '7350000',
      bedroom: 'studio',
      photo: ['https://p.example/1.jpg'],
      permit_number: '71400012345',
      agent: { name: 'Layla Haddad' },
      furnishing_type: 'semi-furnished',
      completion_status: 'off_plan',
    });
    const item = { id: 12, title: 'Villa', opportunity: 2450000, ufCrm12_1764731450860: '3' };
    expect(listings(JSON.stringify({ result: { items: [item, item] }, total: 2 }))).toEqual(
      Array(2).fill({ crm_id: '12', title_en: 'Villa', price: '2450000' }),
    );
  });
});

describe('other text', () => {
  it('is a record when it has one field per line, as on the page of a CRM', () =>
    expect(listing('Reference:\tLP-1\nPermit No\t71400012345\nAsking price\t2,000,000\nBeds\t2\nStage\tWon')).toEqual({
      reference_number: 'LP-1',
      permit_number: '71400012345',
      price: '2,000,000',
      bedroom: '2',
    }));

  it.each(['A quiet villa.', '', '{"list": [', '<Properties><Property/></Properties>', '[1, 2]'])('is not: %j', text =>
    expect(listings(text)).toEqual([]),
  );
});
