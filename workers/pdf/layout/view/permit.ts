/** The permit of a listing on its pages. Only a link to the regulator's record is printed as a code. */
import type { Listing } from '../../listing.ts';
import { isDraft, type PermitBrand, permitNumberOf, permitUrlOf } from '../../vocabulary/permits.ts';
import { english, type Labels } from '../labels.ts';
import { qrOf } from './links.ts';
import { kindOf } from './vocabulary.ts';

/**
 * null without a permit, unless the listing is a draft.
 * @returns `note`: what the code opens, or what a draft is for
 */
export function permitOf(listing: Listing, brand: PermitBrand, labels: Labels = english) {
  const number = permitNumberOf(listing);
  const label = labels.label(kindOf(listing) === 'holiday' ? 'holidayPermit' : 'permit');
  if (isDraft(listing)) {
    const note = labels.plain('notForPublication');
    return { label, number: number || labels.label('draft'), note, url: null, qr: null };
  }
  if (number === '') return null;
  const url = permitUrlOf(listing, brand);
  if (url === null) return { label, number, note: '', url, qr: null };
  return { label, number, note: labels.label('scanForRecord'), url, qr: qrOf(url) };
}
