/** The listing as a portal sends it and as the pages use it: every scalar a trimmed string, '' for what is missing. */
import { z } from 'zod';

const maxListings = 200;
const maxPhotos = 100;
const maxPhotoUrlLength = 2_048;

/** A JSON string; a number is taken as its text, null and a missing field as ''. */
const textUpTo = (max: number) =>
  z
    .union([z.string(), z.number().transform(String), z.null().transform(() => '')], {
      error: 'must be a string (a number or null is accepted)',
    })
    .transform(text => text.trim())
    .pipe(z.string().max(max, `must have at most ${max} characters`));

const text = textUpTo(1_000).default('');
const requiredText = text.refine(value => value !== '', 'must not be empty');

const Agent = z
  .object({
    id: text,
    name: text,
    email: text,
    phone: text,
    photo: textUpTo(maxPhotoUrlLength).default(''),
    brn_number: text,
  })
  .describe('The listing agent, as printed on the card.');

/** Shown where a listing has no agent: the card is left out. */
const nobody: z.infer<typeof Agent> = { id: '', name: '', email: '', phone: '', photo: '', brn_number: '' };

export const Listing = z
  .object({
    crm_id: text,
    permit_number: text,
    reference_number: requiredText.describe('Required: the brokerage’s own number of the listing.'),
    completion_status: text,
    purpose: text.describe('Sale or Rent.'),
    property_type: text,
    price: text.describe('A number as text: 1250000, 1,250,000 or 1250000.00.'),
    city: text,
    community: text,
    sub_community: text,
    tower_name: text,
    property_name: text,
    title_en: requiredText.describe('Required: the headline.'),
    description_en: textUpTo(50_000).default(''),
    size: text.describe('Square feet.'),
    bathroom: text,
    bedroom: text.describe('0 or "Studio" is a studio.'),
    parking: text,
    agent: Agent.nullable()
      .default(null)
      .transform(agent => agent ?? nobody),
    photo: z
      .array(textUpTo(maxPhotoUrlLength))
      .max(maxPhotos, `must have at most ${maxPhotos} items`)
      .nullable()
      .default(null)
      .transform(urls => urls ?? [])
      .describe('Photo URLs, the best first. One that cannot be had is a warning on the job, not a refusal.'),
    price_on_application: text,
    rental_period: text,
    cheques: text,
    amenities: textUpTo(10_000).default('').describe('Comma-separated.'),
    furnished: text,
    furnishing_type: text,
    property_condition: text,
    property_managed_by_us: text,
    views: text,
    current_status: text,
    geopoints: text.describe('Latitude and longitude, comma-separated.'),
  })
  .describe('One property. Unknown fields are ignored; a missing or empty field leaves no trace on the page.')
  .meta({
    id: 'Listing',
    examples: [
      {
        reference_number: 'MP-S-2041',
        permit_number: '7116777484',
        title_en: 'Beachfront villa with a pool facing the skyline',
        purpose: 'Sale',
        property_type: 'Villa',
        completion_status: 'Ready',
        price: '14750000',
        bedroom: '5',
        bathroom: '6',
        parking: '4',
        size: '6240',
        city: 'Dubai',
        community: 'Palm Jumeirah',
        sub_community: 'Garden Homes',
        amenities: 'Private Pool, Private Beach, Covered Parking',
        geopoints: '25.1190,55.1310',
        agent: { name: 'Layla Haddad', phone: '+971 50 123 4501', brn_number: '54821' },
        photo: ['http://127.0.0.1:9100/photos/01.jpg', 'http://127.0.0.1:9100/photos/02.jpg'],
      },
    ],
  });

export type Listing = z.infer<typeof Listing>;

/** The body of both PDF operations. */
export const ListingList = z.object({
  list: z
    .array(Listing)
    .min(1, 'must have at least 1 listing')
    .max(maxListings, `must have at most ${maxListings} listings`),
});
export type ListingList = z.infer<typeof ListingList>;
