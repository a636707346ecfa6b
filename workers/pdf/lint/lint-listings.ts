/** Checks listings for missing and doubtful data of adverts in the Emirates, without network access. */
import type { Listing } from '../listing.ts';
import { agentFindings } from './agent-rules.ts';
import type { Finding, Rule } from './finding.ts';
import { priceFindings, sizeFindings } from './number-rules.ts';
import { permitFindings } from './permit-rules.ts';
import { photoFindings } from './photo-rules.ts';
import { textFindings } from './text-rules.ts';

const rules: readonly Rule[] = [
  permitFindings,
  priceFindings,
  sizeFindings,
  textFindings,
  agentFindings,
  photoFindings,
];

/** In the order of the list, with pointers into the request body. */
export function lintListings(list: readonly Listing[]): Finding[] {
  const findings = list.flatMap((listing, index) =>
    rules.flatMap(rule =>
      [...rule(listing)].map(({ field, ...finding }) => ({ ...finding, pointer: `/list/${index}${field}` })),
    ),
  );
  return [...findings, ...repeatedReferences(list)];
}

function repeatedReferences(list: readonly Listing[]): Finding[] {
  const references = list.map(listing => listing.reference_number);
  return references.flatMap((reference, index) => {
    const first = references.indexOf(reference);
    if (first === index) return [];
    const detail = `Listing ${first} has the same reference number; each listing needs its own.`;
    return [{ code: 'reference-repeated', severity: 'warning', pointer: `/list/${index}/reference_number`, detail }];
  });
}
