/** What the long texts of a listing contain; parsed once, for the placement of photos and for the pages. */
import type { Listing } from '../../listing.ts';
import type { Word } from '../labels.ts';
import { amenitiesOf } from './amenities.ts';
import { readDescription } from './story.ts';
import { cleanText } from './text.ts';
import { kindOf } from './vocabulary.ts';

export type ListingContent = ReturnType<typeof parse>;

const cache = new WeakMap<Listing, ListingContent>();

export function contentOf(listing: Listing): ListingContent {
  const content = cache.get(listing) ?? parse(listing);
  cache.set(listing, content);
  return content;
}

function parse(listing: Listing) {
  const { described, story } = readDescription(listing);
  return {
    kind: kindOf(listing),
    story,
    /** Fields have precedence over the description. */
    described: new Map([...described, ...fieldsOf(listing).filter(([, value]) => value !== '')]),
    amenities: amenitiesOf(listing.amenities),
  };
}

/** In characters; longer shares are printed in the table only. */
const maxShareLength = 6;

function fieldsOf(listing: Listing): [Word, string][] {
  const { handover, developer, project_number, escrow_account, service_charge, payment_plan } = listing;
  const shares = payment_plan.map(({ share }) => cleanText(share).replace(/ ?%$/, ''));
  const isShort = shares.every(share => share !== '' && share.length <= maxShareLength);
  return [
    ['handover', cleanText(handover)],
    ['developer', cleanText(developer)],
    ['projectNumber', cleanText(project_number)],
    ['escrowAccount', cleanText(escrow_account)],
    ['serviceCharge', cleanText(service_charge)],
    ['paymentPlan', isShort ? shares.join(' / ') : ''],
  ];
}
