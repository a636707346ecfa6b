/** Checks codes and slugs: those that the vocabulary does not have are printed as they are. */
import { amenitiesOf } from '../layout/view/amenities.ts';
import { unknownCodes } from '../layout/view/vocabulary.ts';
import type { Listing } from '../listing.ts';
import { type FieldFinding, warning } from './finding.ts';

export function* codeFindings(listing: Listing): Iterable<FieldFinding> {
  for (const { field, value, printed } of unknownCodes(listing)) yield unknown(`/${field}`, value, printed);
  for (const { text, unknownCode } of amenitiesOf(listing.amenities))
    if (unknownCode !== undefined) yield unknown('/amenities', unknownCode, text);
}

const unknown = (field: string, value: string, printed: string): FieldFinding =>
  warning(
    'unknown-code',
    field,
    `“${value}” is not in the portals’ lists and is printed as “${printed}”; write it in words.`,
  );
