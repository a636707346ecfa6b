/** Checks the advertising permit: Dubai's (Trakheesi) and Abu Dhabi's (ADREC, Madhmoun). A draft needs none. */
import { cleanText } from '../layout/view/text.ts';
import { kindOf } from '../layout/view/vocabulary.ts';
import type { Listing } from '../listing.ts';
import { type Emirate, emirateOf } from '../vocabulary/emirates.ts';
import { httpsUrl, isDraft } from '../vocabulary/permits.ts';
import { error, type FieldFinding, warning } from './finding.ts';

const field = '/permit_number';

/** Digits, then optionally a sub-permit (`-1`) and a licence (`#202400236475`). No portal is stricter. */
const permitForm = /^\d{5,20}(?:-\d{1,3})?(?:#\d{3,20})?$/;
const dubaiForm = /^\d{10,11}(?:-\d{1,3})?(?:#\d{3,20})?$/;
const withLicence = /#\d+$/;
/** Values entered when the number is not known. */
const placeholder = /^(?:n\/?a|tba|tbc|none|nil|null|pending|x+|-+|(\d)\1{3,}|0?1234567?8?9?0?)$/i;

export function* permitFindings(listing: Listing): Iterable<FieldFinding> {
  if (isDraft(listing)) return;
  const emirate = emirateOf(listing);
  const permit = listing.permit_number.replaceAll(/\s/g, '');
  if (permit === '') yield* missingPermit(emirate);
  else if (placeholder.test(permit)) {
    const detail = `“${permit}” is a placeholder; enter the permit number or leave the field empty.`;
    yield error('permit-placeholder', field, detail);
  } else yield* formFindings(permit, emirate, listing);
  yield* linkFindings(listing);
  yield* expiryFindings(listing);
}

/** Permits of holiday homes have letters. */
function* formFindings(permit: string, emirate: Emirate, listing: Listing): Iterable<FieldFinding> {
  if (emirate === 'northern' || (emirate === 'dubai' && kindOf(listing) === 'holiday')) return;
  if (emirate === 'dubai' && !dubaiForm.test(permit)) {
    const detail =
      'A permit number of Dubai has 10 or 11 digits, such as 7116777484, optionally followed by a sub-permit (-1).';
    yield warning('permit-form', field, detail);
  } else if (!permitForm.test(permit)) {
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

function* linkFindings(listing: Listing): Iterable<FieldFinding> {
  if (listing.permit_url === '' || httpsUrl(listing.permit_url) !== null) return;
  const detail =
    'This is not an https address of at most 300 characters; copy that of the official record, with its token.';
  yield warning('permit-url-form', '/permit_url', detail);
}

const dayMs = 86_400_000;
/** Renewal takes days. */
const noticeMs = 14 * dayMs;
/** Dubai's time, without daylight saving. */
const zone = '+04:00';

function* expiryFindings({ permit_expires_at: text }: Listing): Iterable<FieldFinding> {
  if (text === '') return;
  const at = '/permit_expires_at';
  const expiresAt = expiryOf(text);
  if (expiresAt === null) {
    yield warning('permit-expiry-form', at, `“${text}” is not a date; write it as 2027-01-31.`);
    return;
  }
  const day = new Date(expiresAt).toLocaleDateString('en-CA', { timeZone: 'Asia/Dubai' });
  const left = expiresAt - Date.now();
  if (left < 0) {
    yield warning('permit-expired', at, `The permit expired on ${day}; renew it before you advertise the property.`);
  } else if (left < noticeMs) {
    const days = Math.ceil(left / dayMs);
    const detail = `The permit expires on ${day}, in ${days} day${days === 1 ? '' : 's'}; renew it.`;
    yield warning('permit-expiring', at, detail);
  }
}

/** A date without a time includes the whole day in Dubai. */
function expiryOf(raw: string): number | null {
  const text = cleanText(raw);
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(text) ?? [];
  const date = year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const instant = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T23:59:59${zone}` : date);
  return /^\d{4}-/.test(date) && Number.isFinite(instant) ? instant : null;
}
