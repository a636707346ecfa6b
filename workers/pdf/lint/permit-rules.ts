/** The advertising permit: Dubai's (Trakheesi), Abu Dhabi's (ADREC, Madhmoun); none is asked for in the northern emirates. */
import type { Listing } from '../listing.ts';
import { emirateOf } from './emirate.ts';
import { error, type FieldFinding, warning } from './finding.ts';

const field = '/permit_number';

/** Digits, perhaps a sub-permit (`-1`), perhaps the licence it was given to (`#202400236475`): no portal is stricter. */
const permitForm = /^\d{5,20}(?:-\d{1,3})?(?:#\d{3,20})?$/;
const withLicence = /#\d+$/;
/** What is typed where a number is asked for and none is at hand. */
const placeholder = /^(?:n\/?a|tba|tbc|none|nil|null|pending|x+|-+|(\d)\1{3,}|0?1234567?8?9?0?)$/i;

export function permitFindings(listing: Listing): FieldFinding[] {
  const emirate = emirateOf(listing);
  const permit = listing.permit_number.replaceAll(/\s/g, '');
  if (permit === '') return missing(emirate);
  if (placeholder.test(permit)) {
    return [
      error(
        'permit-placeholder',
        field,
        `“${permit}” stands in for a permit number; put the real one, or leave the field empty.`,
      ),
    ];
  }
  if (emirate === 'northern') return [];
  if (!permitForm.test(permit)) {
    return [
      warning(
        'permit-form',
        field,
        'A permit number is digits, as in 7116777484; a sub-permit follows after a dash (…-1) and the licence after a # (…#202400236475).',
      ),
    ];
  }
  if (emirate === 'abu-dhabi' && !withLicence.test(permit)) {
    return [
      warning(
        'permit-licence-missing',
        field,
        'An Abu Dhabi permit is written with the licence it was given to: 20250000534239#202400236475.',
      ),
    ];
  }
  return [];
}

function missing(emirate: ReturnType<typeof emirateOf>): FieldFinding[] {
  if (emirate === 'dubai') {
    return [
      error(
        'permit-missing',
        field,
        'An advert in Dubai must show its Trakheesi permit number; put it here.',
      ),
    ];
  }
  if (emirate === 'abu-dhabi') {
    return [
      error(
        'permit-missing',
        field,
        'An advert in Abu Dhabi must show its ADREC permit number; put it here.',
      ),
    ];
  }
  if (emirate === 'northern') return [];
  return [
    warning(
      'permit-missing',
      field,
      'There is no permit number, and the city does not tell whether one is needed; adverts in Dubai and Abu Dhabi must show theirs.',
    ),
  ];
}
