/** The portals' words for purpose, completion and furnishing, and how the brochure says them. */
import { cleanText, sameWords } from './clean-text.ts';

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

export function completionOf(text: string): string {
  const said = words(text);
  if (isOffPlan(text)) return 'Off-plan';
  if (/^(?:completed?|ready)\b/.test(said)) return 'Ready';
  return asLabel(text);
}

/** From `furnishing_type` if there is one, else from `furnished`, which may be a yes or a no. */
export function furnishingOf(furnishingType: string, furnished: string): string {
  const said = words(furnishingType || furnished);
  if (said === '') return '';
  if (/^(?:yes|y|true|1|furnished|fully furnished)$/.test(said)) return 'Furnished';
  if (/^(?:no|n|false|0|unfurnished|not furnished)$/.test(said)) return 'Unfurnished';
  if (/^(?:partly|partially|semi|partly furnished|partially furnished|semi furnished)$/.test(said)) {
    return 'Partly furnished';
  }
  return asLabel(furnishingType || furnished);
}

/** A machine's word ("bulk_rent_unit", "APARTMENT") as a person writes it; a person's own spelling stays. */
export function asLabel(raw: string): string {
  const text = cleanText(raw);
  const shouting = /^[A-Z][A-Z\s_-]{4,}$/.test(text);
  if (!shouting && !/^[a-z0-9_-]+$/.test(text)) return text;
  const spoken = text.replaceAll('_', ' ').toLowerCase();
  return spoken.charAt(0).toUpperCase() + spoken.slice(1);
}
