/** Checks for characters that no font of the brochures has: they are left out. */
import { missingCharacters } from '../layout/view/text.ts';
import type { Listing } from '../listing.ts';
import { type FieldFinding, warning } from './finding.ts';

/** Not printed as text. */
const unprinted: ReadonlySet<string> = new Set(['crm_id', 'permit_url', 'geopoints', 'tour_url', 'video_url', 'draft']);

/** A text in a script without a font has many; so many are named. */
const maxNamed = 8;

export function* characterFindings(listing: Listing): Iterable<FieldFinding> {
  for (const [field, text] of printedTexts(listing)) {
    const missing = missingCharacters(text);
    if (missing.length > 0) yield warning('character-missing', field, missingDetail(missing));
  }
}

/** "No font has ก (U+0E01) …" */
export function missingDetail(missing: readonly string[]): string {
  const named = missing.slice(0, maxNamed).map(character => `${character} (${codePoint(character)})`);
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} other characters` : '';
  return `No font has ${named.join(', ')}${more}: left out of the page.`;
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function* printedTexts({ agent, payment_plan, ...listing }: Listing): Iterable<[field: string, text: string]> {
  for (const [field, value] of Object.entries(listing)) {
    if (typeof value === 'string' && !unprinted.has(field)) yield [`/${field}`, value];
  }
  for (const field of ['name', 'email', 'phone', 'brn_number'] as const) yield [`/agent/${field}`, agent[field]];
  for (const [at, { milestone, share, date }] of payment_plan.entries()) {
    yield [`/payment_plan/${at}/milestone`, milestone];
    yield [`/payment_plan/${at}/share`, share];
    yield [`/payment_plan/${at}/date`, date];
  }
}
