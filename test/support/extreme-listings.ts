/** Listings with one field, or all fields, at their maximum length. */
import type { z } from 'zod';
import { Listing } from '../../workers/pdf/listing.ts';

type Sent = z.input<typeof Listing>;

export const usualListing: Sent = {
  reference_number: 'MP-S-2041',
  permit_number: '7116777484',
  permit_url:
    'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=SAMPLE0123456789SAMPLE0123456789',
  title_en: 'Beachfront villa with a pool facing the skyline',
  purpose: 'Rent',
  property_type: 'Villa',
  completion_status: 'Ready',
  price: '185000',
  rental_period: 'yearly',
  cheques: '4',
  bedroom: '5',
  bathroom: '6',
  parking: '4',
  size: '6240',
  city: 'Dubai',
  community: 'Palm Jumeirah',
  sub_community: 'Garden Homes',
  property_name: 'Frond N',
  amenities: 'Private Pool, Private Beach, Covered Parking',
  geopoints: '25.1190,55.1310',
  furnished: 'Furnished',
  views: 'Sea',
  current_status: 'Vacant',
  property_condition: 'Renovated',
  property_managed_by_us: 'yes',
  description_en: 'A home on the quiet side of the frond. The ground floor is one long room.',
  agent: { name: 'Layla Haddad', phone: '+971 50 123 4501', email: 'layla.haddad@agency.example', brn_number: '54821' },
};

/** Fields with up to 1,000 characters. */
const textFields = [
  'reference_number',
  'permit_number',
  'title_en',
  'title_ar',
  'purpose',
  'property_type',
  'completion_status',
  'price',
  'price_on_application',
  'rental_period',
  'cheques',
  'bedroom',
  'bathroom',
  'parking',
  'size',
  'city',
  'community',
  'sub_community',
  'tower_name',
  'property_name',
  'geopoints',
  'views',
  'developer',
  'project_number',
  'escrow_account',
  'handover',
  'service_charge',
  'video_url',
  'tour_url',
  'furnished',
  'furnishing_type',
  'property_condition',
  'property_managed_by_us',
  'current_status',
] satisfies readonly (keyof Sent)[];
const agentFields = ['name', 'brn_number', 'email', 'phone'] as const;

/** The longest address that is printed. */
const longEmail = `${'l'.repeat(64)}@${'agency.'.repeat(132)}example`;

/**
 * @param textOf returns a text of this length for the n-th field
 * @returns the listings by the name of the long field
 */
export function extremeListings(textOf: (length: number, field: number) => string): Map<string, Listing> {
  const agentOf = (fields: object) => ({ agent: { ...usualListing.agent, ...fields } });
  const everywhere = (length: number, kind: number) => ({
    ...Object.fromEntries(textFields.map(field => [field, textOf(length, kind)])),
    price_on_application: '',
    description_en: textOf(length * 50, kind),
    description_ar: textOf(length * 50, kind),
    amenities: textOf(length * 10, kind),
    ...agentOf({ name: textOf(length, kind), brn_number: textOf(length, kind), email: longEmail }),
  });
  const planOf = (length: number) =>
    Array.from({ length: 6 }, (_, at) => ({
      milestone: textOf(length, at),
      share: textOf(length, at),
      date: textOf(length, at),
    }));
  const cases: [string, object][] = [
    ['nothing', {}],
    ...textFields.map((field, at): [string, object] => [field, { [field]: textOf(1_000, at) }]),
    ...agentFields.map((field, at): [string, object] => [`agent.${field}`, agentOf({ [field]: textOf(1_000, at) })]),
    ['agent with a few words each', agentOf({ name: textOf(60, 0), brn_number: textOf(40, 0) })],
    ['price as a number', { price: '999999999999999' }],
    ['the longest agent.email', agentOf({ email: longEmail })],
    ['agent.email of 90 characters', agentOf({ email: `${'layla.haddad'.repeat(5)}@international.agency.example` })],
    ['a draft', { draft: true, permit_number: '' }],
    ['description_en', { description_en: textOf(50_000, 1) }],
    ['description_ar', { description_ar: textOf(50_000, 2) }],
    ['amenities', { amenities: textOf(10_000, 2) }],
    ['payment_plan', { payment_plan: planOf(1_000) }],
    ['payment_plan of a few words', { payment_plan: planOf(45), tour_url: `https://tour.example/${'x'.repeat(34)}` }],
    ['amenities of many words', { amenities: `${textOf(50, 0)}, `.repeat(190) }],
    ...[0, 1, 2].flatMap((kind): [string, object][] => [
      ['a few words in each field', everywhere(45, kind)],
      ['all', everywhere(1_000, kind)],
      ['all without photos', everywhere(1_000, kind)],
    ]),
  ];
  return new Map(
    cases.map(([name, fields], at) => [`${at} ${name}`, Listing.parse({ ...usualListing, ...fields })] as const),
  );
}
