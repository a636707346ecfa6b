/** Checks listings for missing and doubtful data of adverts in the Emirates, without network access. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Listing } from '../listing.ts';
import { advertFindings } from './advert-rules.ts';
import { agentFindings } from './agent-rules.ts';
import { characterFindings } from './character-rules.ts';
import { codeFindings } from './code-rules.ts';
import type { Finding, Rule } from './finding.ts';
import { priceFindings, sizeFindings } from './number-rules.ts';
import { permitFindings } from './permit-rules.ts';
import { photoFindings } from './photo-rules.ts';
import { textFindings } from './text-rules.ts';

const rules: readonly Rule[] = [
  permitFindings,
  advertFindings,
  priceFindings,
  sizeFindings,
  codeFindings,
  textFindings,
  characterFindings,
  agentFindings,
  photoFindings,
];

/** Milliseconds of a large request between two turns of the event loop, which serves all requests of the process. */
const turnMs = 10;

/** In the order of the list, with pointers into the request body. */
export const lintListings = (list: readonly Listing[]): Finding[] => [
  ...list.flatMap((listing, index) => findingsOf(listing, index, rules)),
  ...repeatedReferences(list),
];

/** The same, while other requests are served between the listings. */
export async function lintInTurns(list: readonly Listing[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  let begunAt = performance.now();
  for (const [index, listing] of list.entries()) {
    findings.push(...findingsOf(listing, index, rules));
    if (performance.now() - begunAt < turnMs) continue;
    await nextTurn();
    begunAt = performance.now();
  }
  return [...findings, ...repeatedReferences(list)];
}

/** Rules of which a printing job reports the findings, too: adverts that violate them are fined. */
const advertRules: readonly Rule[] = [permitFindings, advertFindings];
/** The codes of other findings that it reports: the page shows something else than the sender means. */
const printedOtherwise: ReadonlySet<string> = new Set(['unknown-code', 'price-text', 'size-form', 'character-missing']);
const printRules: readonly Rule[] = [codeFindings, priceFindings, sizeFindings, characterFindings];

/** In an unknown emirate, an advert may need no permit. */
const isDoubtful = ({ code, severity }: Finding): boolean => code === 'permit-missing' && severity !== 'error';

/** What a printing job warns about, without `validateOnly`. */
export const printFindings = (list: readonly Listing[]): Finding[] =>
  list.flatMap((listing, index) => [
    ...findingsOf(listing, index, advertRules).filter(finding => !isDoubtful(finding)),
    ...findingsOf(listing, index, printRules).filter(({ code }) => printedOtherwise.has(code)),
  ]);

const findingsOf = (listing: Listing, index: number, applied: readonly Rule[]): Finding[] =>
  applied.flatMap(rule =>
    [...rule(listing)].map(({ field, ...finding }) => ({ ...finding, pointer: `/list/${index}${field}` })),
  );

function repeatedReferences(list: readonly Listing[]): Finding[] {
  const firstOf = new Map<string, number>();
  return list.flatMap(({ reference_number: reference }, index) => {
    const first = firstOf.get(reference);
    if (first === undefined) firstOf.set(reference, index);
    if (first === undefined) return [];
    const detail = `Listing ${first} has the same reference number; each listing needs its own.`;
    return [{ code: 'reference-repeated', severity: 'warning', pointer: `/list/${index}/reference_number`, detail }];
  });
}
