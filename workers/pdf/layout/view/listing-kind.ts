/** What sort of property a listing is: it decides which of its facts matter. */
import type { Listing } from '../../listing.ts';
import { sameWords } from './clean-text.ts';
import { isHome, isOffPlan, purposeOf } from './vocabulary.ts';

export type ListingKind = 'home' | 'off-plan' | 'holiday' | 'commercial' | 'land';

type Told = Pick<Listing, 'property_type' | 'purpose' | 'completion_status' | 'rental_period'>;

const land = /\b(?:land|plot|farm)\b/;
const holiday = /\b(?:holiday|vacation|short[ -](?:stay|term|let))\b/;
/** A home let by the night or the week is let to guests. */
const guestPeriod = /^(?:per )?(?:da(?:y|ily)|night(?:ly)?|week(?:ly)?)$/;

export function kindOf({ property_type, purpose, completion_status, rental_period }: Told): ListingKind {
  const type = sameWords(property_type).replaceAll('_', ' ');
  if (land.test(type)) return 'land';
  if (!isHome(property_type)) return 'commercial';
  if (holiday.test(type) || holiday.test(sameWords(purpose).replaceAll('_', ' '))) return 'holiday';
  if (purposeOf(purpose) === 'rent' && guestPeriod.test(sameWords(rental_period))) return 'holiday';
  return isOffPlan(completion_status) && purposeOf(purpose) !== 'rent' ? 'off-plan' : 'home';
}
