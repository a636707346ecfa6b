/** Price, facts, agent and permit of a listing as text of a mail, so that the mail works without its pictures. */
import { labelsOf } from '../pdf/layout/labels.ts';
import { factsOf } from '../pdf/layout/view/facts.ts';
import { agentOf } from '../pdf/layout/view/links.ts';
import { placeOf } from '../pdf/layout/view/listing.ts';
import { listingIn } from '../pdf/layout/view/page-texts.ts';
import { priceOf } from '../pdf/layout/view/price.ts';
import { cleanText, shortened } from '../pdf/layout/view/text.ts';
import { kindOf } from '../pdf/layout/view/vocabulary.ts';
import type { Listing } from '../pdf/listing.ts';
import { isDraft, permitNumberOf } from '../pdf/vocabulary/permits.ts';

/** In characters. */
const maxLength = 120;

type Language = 'en' | 'ar' | 'both';

export function listingText(listing: Listing, language: Language) {
  const labels = labelsOf(language);
  const shown = listingIn(language, listing);
  const kind = kindOf(shown);
  const price = priceOf(shown, labels, kind);
  const number = isDraft(listing) ? '' : permitNumberOf(listing);
  return {
    titleArabic: language === 'both' ? shortened(cleanText(listing.title_ar), maxLength) : '',
    place: shortened(
      placeOf(shown)
        .map(({ text }) => text)
        .join(', '),
      maxLength,
    ),
    price: price === null ? '' : [price.currency, price.amount, price.currencyAfter].filter(Boolean).join('\u00A0'),
    terms: price?.terms ?? '',
    termsArabic: price?.termsArabic ?? '',
    facts: factsOf(shown, labels).map(factText),
    permit: number === '' ? null : { label: labels.label(kind === 'holiday' ? 'holidayPermit' : 'permit'), number },
  };
}

/** "5 Bedrooms", "6,240 sq ft · 580 m²", "Handover: Q4 2028". */
function factText({ kind, value, label }: ReturnType<typeof factsOf>[number]): string {
  const name = label.replace('\n', ' · ');
  if (/^[\d.,+]+$/.test(value)) return `${value} ${name}`;
  return kind === 'size' || kind === 'furnishing' ? value : `${name}: ${value}`;
}

/** "AED 14,750,000 · 5 Bedrooms · …", below the title of one of several listings. */
export function listingLine(listing: Listing, language: Language): string {
  const { price, terms, facts } = listingText(listing, language === 'both' ? 'en' : language);
  return [[price, terms].filter(Boolean).join(' '), ...facts.slice(0, 3)].filter(Boolean).join(' · ');
}

/** Null when the listings have different agents, or none. */
export function commonAgent(listings: readonly Listing[], language: Language) {
  const [first, ...others] = listings;
  const keyOf = ({ agent }: Listing) => `${agent.email} ${agent.phone}`;
  if (first === undefined || others.some(other => keyOf(other) !== keyOf(first))) return null;
  const agent = agentOf(first, null, labelsOf(language));
  return agent && { name: agent.name, licence: agent.licence, call: agent.phone, whatsapp: agent.whatsapp };
}
