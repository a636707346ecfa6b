/** Which listings are accepted, how they are normalised, and where errors point. */
import { describe, expect, it } from 'vitest';
import { toPointer } from '../../../../api/http/parse-input.ts';
import { Listing, ListingList } from '../../../../workers/pdf/listing.ts';

const required = { reference_number: 'REF-1', title_en: 'Villa' };
/** As in the API description. */
const scalarNames = `crm_id permit_number reference_number completion_status purpose property_type price city community
  sub_community tower_name property_name title_en description_en size plot_size bathroom bedroom parking price_on_application
  rental_period cheques amenities furnished furnishing_type property_condition property_managed_by_us views
  current_status geopoints developer project_number escrow_account handover service_charge video_url tour_url
  permit_url permit_expires_at draft title_ar description_ar`.split(/\s+/);
const url = 'https://photos.example/1.jpg';

const faultsOf = (list: unknown): string[] =>
  ListingList.safeParse({ list }).error?.issues.map(issue => `${toPointer(issue.path)} ${issue.message}`) ?? [];

describe('a scalar', () => {
  it.each([
    ['1250000', '1250000'],
    ['1,250,000', '1,250,000'],
    [' 1250000.00 ', '1250000.00'],
    [1_250_000, '1250000'],
    [0, '0'],
    [-1.5, '-1.5'],
    [null, ''],
    [undefined, ''],
    ['', ''],
    [' \t\n ', ''],
    [' ', ''],
    ['Studio', 'Studio'],
    ['7+', '7+'],
    ['<b>٣ غرف</b> 🏡', '<b>٣ غرف</b> 🏡'],
  ])('%j becomes %j', (price, text) => {
    expect(Listing.parse({ ...required, price }).price).toBe(text);
  });

  it.each([[true], [['1']], [{ amount: 1 }]])('%j is rejected', price => {
    expect(faultsOf([{ ...required, price }])).toEqual([
      '/list/0/price must be a string (a number or null is accepted)',
    ]);
  });
});

describe('a listing', () => {
  it('with only the required fields has every other field, empty', () => {
    const { agent, photo, payment_plan, floor_plans, ...scalars } = Listing.parse(required);
    expect(scalars).toMatchObject(required);
    expect(Object.values(scalars).filter(value => value !== '')).toEqual(['REF-1', 'Villa']);
    expect(Object.keys(scalars).sort()).toEqual(scalarNames.toSorted());
    expect([photo, floor_plans]).toEqual([[], []]);
    expect(payment_plan).toEqual([]);
    expect(agent).toEqual({ id: '', name: '', email: '', phone: '', photo: '', brn_number: '' });
  });

  it('has no values that mean nothing', () => {
    const values = ['null', 'undefined', 'N/A', '-', ' – ', 'NaN', 'none'];
    for (const value of values) {
      const parsed = Listing.parse({ ...required, bathroom: value, description_en: value, permit_number: value });
      expect(parsed, value).toEqual(Listing.parse(required));
    }
    expect(Listing.parse({ ...required, tower_name: '0', permit_number: 0, bedroom: 0 })).toMatchObject({
      tower_name: '',
      permit_number: '',
      bedroom: '0',
    });
  });

  it.each([
    [true, 'true'],
    ['Yes', 'Yes'],
    [false, ''],
    [null, ''],
  ])('has %j of a draft as the text “%s”, also when it is read again', (draft, text) => {
    const parsed = Listing.parse({ ...required, draft });
    expect(parsed.draft).toBe(text);
    expect(Listing.parse(parsed)).toEqual(parsed);
  });

  it('has amenities as a text or as an array', () => {
    const { amenities } = Listing.parse({ ...required, amenities: ['BW', 'shared-pool'] });
    expect(amenities).toBe('BW, shared-pool');
  });

  it('accepts null for the agent and the photos as none', () => {
    expect(Listing.parse({ ...required, agent: null, photo: null })).toEqual(Listing.parse(required));
  });

  it('loses unknown fields, also of the agent', () => {
    const parsed = Listing.parse({ ...required, colour: 'red', agent: { name: 'Sara', age: 30 } });
    expect(parsed).not.toHaveProperty('colour');
    expect(parsed.agent).not.toHaveProperty('age');
    expect(parsed.agent.name).toBe('Sara');
  });

  it('does not change when workers parse it again', () => {
    const once = Listing.parse({
      ...required,
      price: 1_250_000,
      description_en: '  Sea view \n',
      agent: { name: null, phone: 971501234567 },
      photo: [url, ' not a url '],
    });
    expect(Listing.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
  });
});

describe('a required field', () => {
  it.each(['reference_number', 'title_en'])('%s is rejected when missing, null, empty or blank', name => {
    const fault = [`/list/0/${name} must not be empty`];
    expect(faultsOf([{ ...required, [name]: undefined }])).toEqual(fault);
    expect(faultsOf([{ ...required, [name]: null }])).toEqual(fault);
    expect(faultsOf([{ ...required, [name]: '' }])).toEqual(fault);
    expect(faultsOf([{ ...required, [name]: ' \n' }])).toEqual(fault);
    expect(faultsOf([{ ...required, [name]: 7 }])).toEqual([]);
  });
});

describe('limits', () => {
  const long = (length: number) => 'x'.repeat(length);

  it.each([
    ['community', 1_000],
    ['title_en', 1_000],
    ['amenities', 10_000],
    ['description_en', 50_000],
  ])('%s has at most %i characters', (name, max) => {
    expect(faultsOf([{ ...required, [name]: long(max) }])).toEqual([]);
    expect(faultsOf([{ ...required, [name]: ` ${long(max)} ` }])).toEqual([]);
    expect(faultsOf([{ ...required, [name]: long(max + 1) }])).toEqual([
      `/list/0/${name} must have at most ${max} characters`,
    ]);
  });

  it('a photo URL and an agent photo have at most 2048 characters', () => {
    expect(faultsOf([{ ...required, photo: [long(2_048)], agent: { photo: long(2_048) } }])).toEqual([]);
    expect(faultsOf([{ ...required, photo: [url, long(2_049)], agent: { photo: long(2_049) } }])).toEqual([
      '/list/0/agent/photo must have at most 2048 characters',
      '/list/0/photo/1 must have at most 2048 characters',
    ]);
  });

  it('a listing has at most 100 photos', () => {
    const photos = (count: number) => Array.from({ length: count }, () => url);
    expect(faultsOf([{ ...required, photo: photos(100) }])).toEqual([]);
    expect(faultsOf([{ ...required, photo: photos(101) }])).toEqual(['/list/0/photo must have at most 100 items']);
  });

  it('a list has 1 to 200 listings', () => {
    const listings = (count: number) => Array.from({ length: count }, () => required);
    expect(faultsOf([])).toEqual(['/list must have at least 1 listing']);
    expect(faultsOf(listings(1))).toEqual([]);
    expect(faultsOf(listings(200))).toEqual([]);
    expect(faultsOf(listings(201))).toEqual(['/list must have at most 200 listings']);
  });
});

describe('wrong types', () => {
  it('are all reported, each with its pointer', () => {
    const pointers = faultsOf([
      { ...required, city: true, photo: 'one.jpg' },
      'a listing',
      { reference_number: [], agent: { phone: {} }, photo: [url, { url }] },
    ]).map(fault => fault.split(' ')[0]);
    expect(pointers).toEqual([
      '/list/0/city',
      '/list/0/photo',
      '/list/1',
      '/list/2/reference_number',
      '/list/2/title_en',
      '/list/2/agent/phone',
      '/list/2/photo/1',
    ]);
  });

  it.each([undefined, null, 'text', { 0: required }])('%j is not a list', list => {
    expect(faultsOf(list).map(fault => fault.split(' ')[0])).toEqual(['/list']);
  });

  it('a photo without a usable URL is accepted', () => {
    expect(faultsOf([{ ...required, photo: ['', 'not a url', 'file:///etc/passwd', 'http://10.0.0.1/'] }])).toEqual([]);
  });

  it('a photo that is null or a number becomes text like every scalar', () => {
    expect(Listing.parse({ ...required, photo: [null, 7, ` ${url} `] }).photo).toEqual(['', '7', url]);
  });
});
