/** Checks the advertising permit: Dubai's (Trakheesi) and Abu Dhabi's (ADREC, Madhmoun). */
import type { Listing } from '../listing.ts';
import { error, type FieldFinding, warning } from './finding.ts';

/** `northern`: Sharjah, Ajman, Umm Al Quwain, Ras Al Khaimah and Fujairah, whose adverts need no permit number. */
type Emirate = 'dubai' | 'abu-dhabi' | 'northern' | 'unknown';

const emirateNames: readonly [RegExp, Emirate][] = [
  [/\bdubai\b|دبي/i, 'dubai'],
  [/\babu ?dhabi\b|\bal ?ain\b|أبو ?ظبي|ابوظبي|العين/i, 'abu-dhabi'],
  [
    /\bsharjah\b|\bajman\b|\bumm al[ -]?quwain\b|\bras al[ -]?khaimah\b|\brak\b|\bfujairah\b|الشارقة|عجمان|الفجيرة|رأس الخيمة|أم القيوين/i,
    'northern',
  ],
];

const field = '/permit_number';

/** Digits, then optionally a sub-permit (`-1`) and a licence (`#202400236475`). No portal is stricter. */
const permitForm = /^\d{5,20}(?:-\d{1,3})?(?:#\d{3,20})?$/;
const withLicence = /#\d+$/;
/** Values entered when the number is not known. */
const placeholder = /^(?:n\/?a|tba|tbc|none|nil|null|pending|x+|-+|(\d)\1{3,}|0?1234567?8?9?0?)$/i;

/** By the city. */
export function emirateOf({ city }: Pick<Listing, 'city'>): Emirate {
  return emirateNames.find(([pattern]) => pattern.test(city))?.[1] ?? 'unknown';
}

export function* permitFindings(listing: Listing): Iterable<FieldFinding> {
  const emirate = emirateOf(listing);
  const permit = listing.permit_number.replaceAll(/\s/g, '');
  if (permit === '') yield* missingPermit(emirate);
  else if (placeholder.test(permit)) {
    const detail = `“${permit}” is a placeholder; enter the permit number or leave the field empty.`;
    yield error('permit-placeholder', field, detail);
  } else if (emirate !== 'northern' && !permitForm.test(permit)) {
    const detail =
      'A permit number has digits only, such as 7116777484, optionally followed by a sub-permit (-1) and a licence (#202400236475).';
    yield warning('permit-form', field, detail);
  } else if (emirate === 'abu-dhabi' && !withLicence.test(permit)) {
    const detail = 'A permit number of Abu Dhabi includes the licence: 20250000534239#202400236475.';
    yield warning('permit-licence-missing', field, detail);
  }
}

function* missingPermit(emirate: Emirate): Iterable<FieldFinding> {
  if (emirate === 'dubai' || emirate === 'abu-dhabi') {
    const [place, issuer] = emirate === 'dubai' ? ['Dubai', 'Trakheesi'] : ['Abu Dhabi', 'ADREC'];
    const detail = `An advert in ${place} must show its ${issuer} permit number; put it here.`;
    yield error('permit-missing', field, detail);
  } else if (emirate === 'unknown') {
    const detail =
      'There is no permit number; adverts in Dubai and Abu Dhabi must show one. The city does not match an emirate.';
    yield warning('permit-missing', field, detail);
  }
}
