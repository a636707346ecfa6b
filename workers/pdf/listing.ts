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
    .union([z.string().meta({ maxLength: max }), z.number().transform(String), z.null().transform(() => '')], {
      error: ({ input }) =>
        input === undefined ? 'must not be empty' : 'must be a string (a number or null is accepted)',
    })
    .transform(text => text.trim())
    .pipe(z.string().max(max, `must have at most ${max} characters`));

/** Values that software writes where it has none. */
const meaningless: ReadonlySet<string> = new Set([
  'null',
  'undefined',
  'nan',
  'n/a',
  'na',
  'n.a.',
  'none',
  'nil',
  '-',
  '--',
  '---',
  '–',
  '—',
  '.',
  '?',
  '(null)',
  '[object object]',
]);

const withoutMeaningless = (value: string): string => (meaningless.has(value.toLowerCase()) ? '' : value);

const optionalText = (max: number) => textUpTo(max).transform(withoutMeaningless).default('');

const text = optionalText(1_000);
/** A name, which "0" cannot be. */
const name = textUpTo(1_000)
  .transform(value => (value === '0' ? '' : withoutMeaningless(value)))
  .default('');
const requiredText = textUpTo(1_000).refine(value => value !== '', 'must not be empty');

const Agent = z
  .object({
    id: text.describe('Id in the portal.'),
    name: text.describe('Name on the agent card.'),
    email: text.describe('E-mail address on the agent card.'),
    phone: name.describe('Phone number on the agent card.'),
    photo: textUpTo(maxPhotoUrlLength).default('').describe('Address of the agent’s photo.'),
    brn_number: name.describe('Licence of the broker: the BRN, in Abu Dhabi the BLN.'),
  })
  .describe('The listing agent, printed on the agent card.')
  .meta({ additionalProperties: true });

const Instalment = z
  .object({
    milestone: text.describe('Such as "On booking".'),
    share: text.describe('Such as "20%".'),
    date: text.describe('When it is due.'),
  })
  .meta({ additionalProperties: true });

/** For a listing without an agent: its page has no agent card. */
const noAgent: z.infer<typeof Agent> = { id: '', name: '', email: '', phone: '', photo: '', brn_number: '' };

export const Listing = z
  .object({
    crm_id: text.describe('Id of the listing in the CRM.'),
    permit_number: name.describe('Permit of the advertisement; in Dubai 10 or 11 digits.'),
    permit_url: text.describe(
      'The regulator’s record of the permit, as its page or the portal shows it: https, up to 300 characters; printed as a QR code. In Dubai it has a token and cannot be made from the number. Absent: looked up in the listing portal.',
    ),
    permit_expires_at: text.describe(
      'Last day of the permit, such as 2027-01-31. Absent: looked up in the listing portal.',
    ),
    draft: z
      .union([z.boolean().transform(isDraft => (isDraft ? 'true' : '')), text])
      .default('')
      .describe('True for the application for a permit: every page has the mark “Draft”, and no permit is needed.'),
    reference_number: requiredText.describe('Required: the brokerage’s own number of the listing.'),
    completion_status: name.describe('Such as Ready or Off-plan.'),
    purpose: text.describe('Sale or Rent.'),
    property_type: name.describe('Such as Villa or Apartment.'),
    price: text.describe(
      'A number as text: 1250000, 1,250,000 or 1250000.00; also "AED 3.2M" and "USD 900,000". Other text is printed unchanged, with a warning.',
    ),
    city: name.describe('City; decides which permit is required.'),
    community: name.describe('Community.'),
    sub_community: name.describe('Part of the community.'),
    tower_name: name.describe('Tower or building.'),
    property_name: name.describe('Name of the property.'),
    title_en: requiredText.describe('Required: the headline.'),
    title_ar: text.describe('The headline in Arabic, for the languages `ar` and `both`.'),
    description_en: optionalText(50_000).describe('Text about the property, in paragraphs.'),
    description_ar: optionalText(50_000).describe(
      'The same text in Arabic: with `ar` in place of `description_en`, with `both` after it.',
    ),
    size: text.describe('Square feet, or with a unit: 1312, "1,312 sq ft", "122 m²".'),
    plot_size: name.describe('Of the plot of a villa or townhouse; written as `size`.'),
    bathroom: text.describe('Number of bathrooms.'),
    bedroom: text.describe('0 or "Studio" is a studio.'),
    parking: text.describe('Number of parking places.'),
    agent: Agent.nullable()
      .default(null)
      .transform(agent => agent ?? noAgent)
      .describe('The listing agent; null or absent: no agent card.'),
    photo: z
      .array(textUpTo(maxPhotoUrlLength))
      .max(maxPhotos, `must have at most ${maxPhotos} items`)
      .nullable()
      .default(null)
      .transform(urls => urls ?? [])
      .describe(
        'Photo URLs, the best first. A photo that cannot be loaded is a warning on the job; the request is accepted.',
      ),
    price_on_application: text.describe('Prints no price when it is yes or true.'),
    rental_period: text.describe('Of the rent, such as Yearly.'),
    cheques: text.describe('Number of cheques for the rent.'),
    amenities: z
      .union([
        z
          .array(textUpTo(1_000))
          .max(200)
          .transform(names => names.join(', ')),
        textUpTo(10_000),
      ])
      .transform(withoutMeaningless)
      .default('')
      .describe('Comma-separated, or an array: names, slugs of the portals, or two-letter codes of feeds.'),
    furnished: text.describe('Whether it is furnished.'),
    furnishing_type: text.describe('Such as Fully furnished.'),
    property_condition: name.describe('Such as New.'),
    property_managed_by_us: text.describe('Whether we manage the property.'),
    views: name.describe('What can be seen, such as Sea.'),
    current_status: name.describe('Such as Vacant.'),
    geopoints: text.describe('Latitude and longitude, comma-separated.'),
    developer: name.describe('Developer of an off-plan property.'),
    project_number: name.describe('Registration of an off-plan project; adverts must show it.'),
    escrow_account: name.describe('Escrow account of an off-plan project; adverts must show it.'),
    handover: name.describe('Such as "Q4 2028".'),
    service_charge: name.describe('Such as "AED 18 per sq ft".'),
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
        'URLs of floor plans. They are printed whole, one or two on a page, after the other pages of the listing. A plan that cannot be loaded is a warning on the job.',
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
    .max(maxListings, `must have at most ${maxListings} listings`)
    .describe('The listings, in the order of their pages.'),
});
export type ListingList = z.infer<typeof ListingList>;
