/** Compares a listing with what its permit allows to advertise. */
import type { Permit } from '../../../core/integrations/listing-portal/wire.ts';
import { isYes, numberOf, wholeNumber } from '../../../core/values/number-text.ts';
import { cleanText } from '../layout/view/text.ts';
import { kindOf, periodOf, purposeOf } from '../layout/view/vocabulary.ts';
import type { Listing } from '../listing.ts';
import { priceIn, squareFeetIn, squareMetresOf } from '../vocabulary/amounts.ts';
import { type FieldFinding, warning } from './finding.ts';

type Registered = Permit['registered'];

/** Portals and CRMs round sizes, and convert them from square metres. */
const sizeTolerance = 0.02;

export function* registeredFindings(listing: Listing, registered: Registered): Iterable<FieldFinding> {
  yield* priceFindings(listing, registered);
  yield* sizeFindings(listing, registered);
  yield* bedroomFindings(listing, registered);
}

/** The registered rent is that of a year. */
function* priceFindings(listing: Listing, registered: Registered): Iterable<FieldFinding> {
  const price = priceIn(cleanText(listing.price));
  const allowed = amountOf(registered.price);
  if (isYes(listing.price_on_application) || price?.currency !== 'AED' || price.amount === 0 || allowed === null)
    return;
  if (purposeOf(listing.purpose) === 'rent' && periodOf(listing.rental_period) !== 'year') return;
  if (Math.abs(price.amount - allowed) < 1) return;
  const detail = `The price is AED ${wholeNumber(price.amount)}, but the permit is for AED ${wholeNumber(allowed)}; advertise the registered price, or have the permit changed.`;
  yield warning('permit-price', '/price', detail);
}

/** The portal does not say in which unit the registered size is. */
function* sizeFindings(listing: Listing, registered: Registered): Iterable<FieldFinding> {
  const squareFeet = squareFeetIn(cleanText(listing.size));
  const allowed = amountOf(registered.size);
  if (squareFeet === null || squareFeet === 0 || allowed === null) return;
  const isNear = (size: number) => Math.abs(size - allowed) <= allowed * sizeTolerance;
  if (isNear(squareFeet) || isNear(squareMetresOf(squareFeet))) return;
  const detail = `The size is ${wholeNumber(squareFeet)} sq ft, but the permit is for ${wholeNumber(allowed)}; advertise the registered size.`;
  yield warning('permit-size', '/size', detail);
}

function* bedroomFindings(listing: Listing, registered: Registered): Iterable<FieldFinding> {
  if (['commercial', 'land'].includes(kindOf(listing))) return;
  const [bedrooms, allowed] = [bedroomsIn(listing.bedroom), bedroomsIn(registered.bedrooms)];
  if (bedrooms === null || allowed === null || bedrooms === allowed) return;
  const named = (count: number) => (count === 0 ? 'a studio' : `${count} bedroom${count === 1 ? '' : 's'}`);
  const detail = `The listing has ${named(bedrooms)}, but the permit is for ${named(allowed)}; advertise the registered number.`;
  yield warning('permit-bedrooms', '/bedroom', detail);
}

/** "3 + Maid" has three; "Studio" none. */
function bedroomsIn(text: string): number | null {
  const cleaned = cleanText(text);
  if (/^studio$/i.test(cleaned)) return 0;
  return numberOf(/^\d{1,2}(?![\d.])/.exec(cleaned)?.[0] ?? '');
}

/** null without a value, and for 0, which registers nothing. */
const amountOf = (text: string): number | null => numberOf(text) || null;
