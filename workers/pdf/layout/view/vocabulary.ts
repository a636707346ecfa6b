/** Property kind, purpose, completion and furnishing of a listing, from the values that portals and CRMs send. */
import type { Listing } from '../../listing.ts';
import { propertyTypes } from '../../vocabulary/property-types.ts';
import { isCode, type Table, termKey } from '../../vocabulary/table.ts';
import { completions, conditions, furnishings, offeringTypes, rentalPeriods } from '../../vocabulary/terms.ts';
import type { ListingKind } from '../document-view.ts';
import { english, type Labels } from '../labels.ts';
import { cleanText } from './text.ts';

const land = /\b(?:land|plot|farm)\b/;
const holiday = /\b(?:holiday|vacation|short (?:stay|term|let))\b/;
/** Text that is no term of the table: "0 bedrooms" of an office, shop or plot is not a studio. */
const notHome =
  /\b(?:office|shop|retail|land|plot|warehouse|factory|labou?r camp|staff accommodation|showroom|commercial|industrial|farm|building|floor|business cent(?:er|re)|co ?working)\b/;

/** A rent by the night or the week is a holiday let. */
const guestPeriods: ReadonlySet<string | undefined> = new Set(['day', 'night', 'week']);

type ClassifiedListing = Pick<Listing, 'property_type' | 'purpose' | 'completion_status' | 'rental_period'>;

export function kindOf(listing: ClassifiedListing): ListingKind {
  const { property_type, purpose, completion_status, rental_period } = listing;
  const built = typeKindOf(property_type);
  if (built !== 'home') return built;
  if (holiday.test(termKey(purpose))) return 'holiday';
  if (purposeOf(purpose) === 'rent' && guestPeriods.has(periodOf(rental_period))) return 'holiday';
  return isOffPlan(completion_status) && purposeOf(purpose) !== 'rent' ? 'off-plan' : 'home';
}

function typeKindOf(propertyType: string): 'home' | 'commercial' | 'land' | 'holiday' {
  const known = propertyTypes.find(cleanText(propertyType));
  if (known) return known.term.kind;
  const type = termKey(propertyType);
  if (land.test(type)) return 'land';
  if (notHome.test(type)) return 'commercial';
  return holiday.test(type) ? 'holiday' : 'home';
}

export function purposeOf(text: string): 'sale' | 'rent' | null {
  const known = offeringTypes.find(cleanText(text))?.term.slug;
  const purpose = termKey(text);
  if (known === 'rent' || /\b(?:rent|rental|rents|lease|let|letting)\b/.test(purpose)) return 'rent';
  return known === 'sale' || /\b(?:sale|sell|buy|resale)\b/.test(purpose) ? 'sale' : null;
}

/** Slug of the period: `year`, `month`, `week`, `night`, `day`; undefined for other text. */
export const periodOf = (text: string): string | undefined => rentalPeriods.find(cleanText(text))?.term.slug;

export const isOffPlan = (completionStatus: string): boolean =>
  completions.find(cleanText(completionStatus))?.term.slug === 'off_plan' ||
  /\b(?:off ?plan|under construction)\b/.test(termKey(completionStatus));

/** False for offices, shops and plots: their "0 bedrooms" is not a studio. */
export const isHome = (propertyType: string): boolean => ['home', 'holiday'].includes(typeKindOf(propertyType));

export function completionOf(text: string, labels: Labels = english): string {
  if (isOffPlan(text)) return nameOf('off_plan', completions, labels);
  if (/^(?:completed?|ready)\b/.test(termKey(text))) return nameOf('completed', completions, labels);
  return nameOf(text, completions, labels);
}

/** Reads `furnishing_type`; when it is empty, `furnished`, which may be yes or no. */
export const furnishingOf = (
  { furnishing_type, furnished }: Pick<Listing, 'furnishing_type' | 'furnished'>,
  labels: Labels,
): string => nameOf(furnishing_type || furnished, furnishings, labels);

export const rentalPeriodOf = (text: string, labels: Labels): string =>
  periodOf(text) === undefined ? cleanText(text) : nameOf(text, rentalPeriods, labels);

/** The name of a known term in the page's language; other text as by `readable`. */
function nameOf(text: string, table: Table, labels: Labels): string {
  const found = table.find(cleanText(text));
  return found === undefined ? readable(text) : labels.named(found.term);
}

/** A property type, condition, status or view: a known term in the page's language, other text as by `readable`. */
export function localised(text: string, labels: Labels): string {
  const found = propertyTypes.find(cleanText(text)) ?? conditions.find(cleanText(text));
  if (found === undefined) return readable(text);
  // "Flat" stays the agent's word on a page in English.
  if (labels.language === 'en' && found.isSpelling) return readable(text);
  return labels.named(found.term);
}

/** The fields whose values come from the portals' lists. */
const tables = [
  ['property_type', [propertyTypes]],
  ['purpose', [offeringTypes]],
  ['completion_status', [completions]],
  ['furnished', [furnishings]],
  ['furnishing_type', [furnishings]],
  ['property_condition', [conditions]],
  ['current_status', [conditions]],
  ['rental_period', [rentalPeriods]],
] as const;

/** Codes and slugs that no table knows; they are printed as by `readable`. */
export function unknownCodes(listing: Listing): { field: keyof Listing; value: string; printed: string }[] {
  return tables.flatMap(([field, known]) => {
    const value = cleanText(listing[field]);
    const isKnown = !isCode(value) || known.some(table => table.find(value)) || kindIsRead(field, value);
    return isKnown ? [] : [{ field, value, printed: readable(value) }];
  });
}

/** The pages understand more purposes and completions than their tables have. */
const kindIsRead = (field: keyof Listing, value: string): boolean =>
  (field === 'purpose' && (purposeOf(value) !== null || holiday.test(termKey(value)))) ||
  (field === 'completion_status' && completionOf(value) !== readable(value));

/** Rewrites machine values ("bulk_rent_unit", "APARTMENT") as "Bulk rent unit", "Apartment"; other text is unchanged. */
export function readable(raw: string): string {
  const text = cleanText(raw);
  const isUpperCase = /^[A-Z][A-Z\s_-]{4,}$/.test(text);
  if (!isUpperCase && !/^[a-z0-9_-]+$/.test(text)) return text;
  const words = text.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
