/** Parses listings as portals send them: every scalar becomes a trimmed string, '' when missing. */
import { z } from 'zod';

const maxListings = 200;
const maxPhotos = 100;
const maxPhotoUrlLength = 2_048;
const maxInstalments = 6;
const maxFloorPlans = 6;

/** Accepts a string, a number (as its text) or null (as ''). */
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
  .describe('The listing agent, printed on the agent card.')
  .meta({ additionalProperties: true });

const Instalment = z
  .object({
    milestone: text.describe('Such as "On booking".'),
    share: text.describe('Such as "20%".'),
    date: text,
  })
  .meta({ additionalProperties: true });

/** Of a listing without an agent; its page has no agent card. */
const noAgent: z.infer<typeof Agent> = { id: '', name: '', email: '', phone: '', photo: '', brn_number: '' };

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
      .transform(agent => agent ?? noAgent),
    photo: z
      .array(textUpTo(maxPhotoUrlLength))
      .max(maxPhotos, `must have at most ${maxPhotos} items`)
      .nullable()
      .default(null)
      .transform(urls => urls ?? [])
      .describe(
        'Photo URLs, the best first. A photo that cannot be loaded is a warning on the job; the request is accepted.',
      ),
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
    developer: text,
    handover: text.describe('Such as "Q4 2028".'),
    service_charge: text.describe('Such as "AED 18 per sq ft".'),
    payment_plan: z
      .array(Instalment)
      .max(maxInstalments, `must have at most ${maxInstalments} items`)
      .nullable()
      .default(null)
      .transform(instalments => instalments ?? [])
      .describe('Printed as a table, and in short among the facts of an off-plan home: "20 / 40 / 40".'),
    floor_plans: z
      .array(textUpTo(maxPhotoUrlLength))
      .max(maxFloorPlans, `must have at most ${maxFloorPlans} items`)
      .nullable()
      .default(null)
      .transform(urls => urls ?? [])
      .describe(
        'URLs of floor plans. They are printed whole on one more page after the pages of the listing. A plan that cannot be loaded is a warning on the job.',
      ),
    video_url: textUpTo(maxPhotoUrlLength).default('').describe('Printed as a QR code (new design) and as text.'),
    tour_url: textUpTo(maxPhotoUrlLength).default('').describe('Virtual tour, printed like `video_url` and before it.'),
  })
  .describe(
    'One property. Missing and empty fields are left out of the page. An unknown field is ignored with the warning `unknown-field`, and rejected with `strict`.',
  )
  .meta({
    id: 'Listing',
    additionalProperties: true,
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
