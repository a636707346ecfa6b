/** Looks a listing list through for what is missing or doubtful in an advert in the Emirates. Pure: it asks nobody. */
import type { Listing } from '../listing.ts';
import { agentFindings } from './agent-rules.ts';
import type { Finding, Rule } from './finding.ts';
import { permitFindings } from './permit-rules.ts';
import { photoFindings } from './photo-rules.ts';
import { priceFindings } from './price-rules.ts';
import { sizeFindings } from './size-rules.ts';
import { textFindings } from './text-rules.ts';

const rules: readonly Rule[] = [
  permitFindings,
  priceFindings,
  sizeFindings,
  textFindings,
  agentFindings,
  photoFindings,
];

/** In the order of the list; pointers lead into the request's body. */
export function lintListings(list: readonly Listing[]): Finding[] {
  const found = list.flatMap((listing, index) =>
    rules.flatMap(rule =>
      rule(listing).map(({ field, ...finding }) => ({ ...finding, pointer: `/list/${index}${field}` })),
    ),
  );
  return [...found, ...repeatedReferences(list)];
}

function repeatedReferences(list: readonly Listing[]): Finding[] {
  const references = list.map(listing => listing.reference_number);
  return references.flatMap((reference, index) => {
    const first = references.indexOf(reference);
    if (first === index) return [];
    const detail = `The same reference number as listing ${first}; each listing has its own.`;
    return [
      { code: 'reference-repeated', severity: 'warning', pointer: `/list/${index}/reference_number`, detail },
    ];
  });
}
