/** The portals' words for purpose, completion and furnishing, and how the brochure says them. */
import { type Labels, labelsOf, type Word } from '../labels.ts';
import { cleanText, sameWords } from './clean-text.ts';

const english = labelsOf('en');

/** "off_plan_primary" and "Off-Plan" alike become "off plan primary", "off plan". */
const words = (text: string): string => sameWords(text).replace(/[\s_/-]+/g, ' ');

export type Purpose = 'sale' | 'rent' | null;

export function purposeOf(text: string): Purpose {
  const said = words(text);
  if (/\b(?:rent|rental|rents|lease|let|letting)\b/.test(said)) return 'rent';
  if (/\b(?:sale|sell|buy|resale)\b/.test(said)) return 'sale';
  return null;
}

export const isOffPlan = (completionStatus: string): boolean =>
  /\b(?:off ?plan|under construction)\b/.test(words(completionStatus));

/** Offices, shops and plots have no bedrooms: a 0 there is not a studio. */
export const isHome = (propertyType: string): boolean =>
  !/\b(?:office|shop|retail|land|plot|warehouse|factory|labou?r camp|staff accommodation|showroom|commercial|industrial|farm|building|floor|business cent(?:er|re)|co ?working)\b/.test(
    words(propertyType),
  );

export function completionOf(text: string, labels: Labels = english): string {
  const said = words(text);
  if (isOffPlan(text)) return labels.plain('offPlan');
  if (/^(?:completed?|ready)\b/.test(said)) return labels.plain('ready');
  return asLabel(text);
}

/** From `furnishing_type` if there is one, else from `furnished`, which may be a yes or a no. */
export function furnishingOf(furnishingType: string, furnished: string, labels: Labels = english): string {
  const said = words(furnishingType || furnished);
  if (said === '') return '';
  if (/^(?:yes|y|true|1|furnished|fully furnished)$/.test(said)) return labels.plain('furnished');
  if (/^(?:no|n|false|0|unfurnished|not furnished)$/.test(said)) return labels.plain('unfurnished');
  if (/^(?:partly|partially|semi|partly furnished|partially furnished|semi furnished)$/.test(said)) {
    return labels.plain('partlyFurnished');
  }
  return asLabel(furnishingType || furnished);
}

/** Words of the portals' own lists that the brochures know in both languages. */
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

/** A value as the page says it: the portals' words in its language, anything else as it was written. */
export function saidIn(text: string, labels: Labels): string {
  const word = labels.language === 'en' ? undefined : translated[words(text)];
  return word === undefined ? asLabel(text) : labels.plain(word);
}

/** A machine's word ("bulk_rent_unit", "APARTMENT") as a person writes it; a person's own spelling stays. */
export function asLabel(raw: string): string {
  const text = cleanText(raw);
  const shouting = /^[A-Z][A-Z\s_-]{4,}$/.test(text);
  if (!shouting && !/^[a-z0-9_-]+$/.test(text)) return text;
  const spoken = text.replaceAll('_', ' ').toLowerCase();
  return spoken.charAt(0).toUpperCase() + spoken.slice(1);
}
