/** Property kind, purpose, completion and furnishing of a listing, from the values that portals and CRMs send. */
import type { Listing } from '../../listing.ts';
import type { ListingKind } from '../document-view.ts';
import { english, type Labels, type Word } from '../labels.ts';
import { cleanText, comparable } from './text.ts';

/** "off_plan_primary" becomes "off plan primary", "Off-Plan" becomes "off plan". */
const normalised = (text: string): string => comparable(text).replace(/[\s_/-]+/g, ' ');

const land = /\b(?:land|plot|farm)\b/;
const holiday = /\b(?:holiday|vacation|short[ -](?:stay|term|let))\b/;
/** A rent by the night or the week is a holiday let. */
const guestPeriod = /^(?:per )?(?:da(?:y|ily)|night(?:ly)?|week(?:ly)?)$/;

type ClassifiedListing = Pick<Listing, 'property_type' | 'purpose' | 'completion_status' | 'rental_period'>;

export function kindOf(listing: ClassifiedListing): ListingKind {
  const { property_type, purpose, completion_status, rental_period } = listing;
  const type = comparable(property_type).replaceAll('_', ' ');
  if (land.test(type)) return 'land';
  if (!isHome(property_type)) return 'commercial';
  if (holiday.test(type) || holiday.test(comparable(purpose).replaceAll('_', ' '))) return 'holiday';
  if (purposeOf(purpose) === 'rent' && guestPeriod.test(comparable(rental_period))) return 'holiday';
  return isOffPlan(completion_status) && purposeOf(purpose) !== 'rent' ? 'off-plan' : 'home';
}

export function purposeOf(text: string): 'sale' | 'rent' | null {
  const purpose = normalised(text);
  if (/\b(?:rent|rental|rents|lease|let|letting)\b/.test(purpose)) return 'rent';
  if (/\b(?:sale|sell|buy|resale)\b/.test(purpose)) return 'sale';
  return null;
}

export const isOffPlan = (completionStatus: string): boolean =>
  /\b(?:off ?plan|under construction)\b/.test(normalised(completionStatus));

/** False for offices, shops and plots: their "0 bedrooms" is not a studio. */
export const isHome = (propertyType: string): boolean =>
  !/\b(?:office|shop|retail|land|plot|warehouse|factory|labou?r camp|staff accommodation|showroom|commercial|industrial|farm|building|floor|business cent(?:er|re)|co ?working)\b/.test(
    normalised(propertyType),
  );

export function completionOf(text: string, labels: Labels = english): string {
  if (isOffPlan(text)) return labels.plain('offPlan');
  if (/^(?:completed?|ready)\b/.test(normalised(text))) return labels.plain('ready');
  return readable(text);
}

/** Reads `furnishing_type`; when it is empty, `furnished`, which may be yes or no. */
export function furnishingOf(
  { furnishing_type, furnished }: Pick<Listing, 'furnishing_type' | 'furnished'>,
  labels: Labels,
): string {
  const text = furnishing_type || furnished;
  const furnishing = normalised(text);
  if (/^(?:yes|y|true|1|furnished|fully furnished)$/.test(furnishing)) return labels.plain('furnished');
  if (/^(?:no|n|false|0|unfurnished|not furnished)$/.test(furnishing)) return labels.plain('unfurnished');
  if (/^(?:partly|partially|semi|partly furnished|partially furnished|semi furnished)$/.test(furnishing)) {
    return labels.plain('partlyFurnished');
  }
  return furnishing === '' ? '' : readable(text);
}

/** Values of the portals' lists that have a label in both languages. */
const translated: Readonly<Record<string, Word>> = {
  apartment: 'apartment',
  flat: 'apartment',
  villa: 'villa',
  townhouse: 'townhouse',
  'town house': 'townhouse',
  penthouse: 'penthouse',
  duplex: 'duplex',
  office: 'office',
  'office space': 'office',
  shop: 'shop',
  retail: 'retail',
  warehouse: 'warehouse',
  land: 'land',
  plot: 'plot',
  building: 'building',
  'holiday home': 'holidayHome',
  vacant: 'vacant',
  rented: 'rented',
  tenanted: 'rented',
  'owner occupied': 'ownerOccupied',
  excellent: 'excellent',
  good: 'good',
};

/** A known value in the page's language; other text as by `readable`. */
export function localised(text: string, labels: Labels): string {
  const word = labels.language === 'en' ? undefined : translated[normalised(text)];
  return word === undefined ? readable(text) : labels.plain(word);
}

/** Rewrites machine values ("bulk_rent_unit", "APARTMENT") as "Bulk rent unit", "Apartment"; other text is unchanged. */
export function readable(raw: string): string {
  const text = cleanText(raw);
  const isUpperCase = /^[A-Z][A-Z\s_-]{4,}$/.test(text);
  if (!isUpperCase && !/^[a-z0-9_-]+$/.test(text)) return text;
  const words = text.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
