/** The permit of a listing on its pages. Only a link to the regulator's record is printed as a code. */
import { isYes } from '../../../../core/values/number-text.ts';
import type { Listing } from '../../listing.ts';
import { emirateOf } from '../../vocabulary/emirates.ts';
import type { Brand } from '../brand.ts';
import { english, type Labels } from '../labels.ts';
import { qrOf } from './links.ts';
import { cleanText } from './text.ts';
import { kindOf } from './vocabulary.ts';

/** `licenceNumber`: for look-ups in the listing portal. */
export type PermitBrand = Pick<Brand, 'permitUrl' | 'permitHosts' | 'licenceNumber'>;
type PermitListing = Pick<Listing, 'permit_number' | 'permit_url' | 'city' | 'draft'>;

/** Dubai: 7116777484; Abu Dhabi: 20250000534239-1#202400236475. Checks the characters only. */
const permitNumber = /^\d[\d#/-]{2,59}$/;

export const isDraft = ({ draft }: Pick<Listing, 'draft'>): boolean => isYes(draft);

/**
 * null without a permit, unless the listing is a draft.
 * @returns `note`: what the code opens, or what a draft is for
 */
export function permitOf(listing: Listing, brand: PermitBrand, labels: Labels = english) {
  const number = cleanText(listing.permit_number);
  const label = labels.label(kindOf(listing) === 'holiday' ? 'holidayPermit' : 'permit');
  if (isDraft(listing)) {
    return {
      label,
      number: number || labels.label('draft'),
      note: labels.plain('notForPublication'),
      url: null,
      qr: null,
    };
  }
  if (number === '' || number === '0') return null;
  const url = permitUrlOf(listing, brand);
  if (url === null) return { label, number, note: '', url, qr: null };
  return { label, number, note: labels.label('scanForRecord'), url, qr: qrOf(url) };
}

/**
 * The regulator's record: the link of the listing, or one made from the brand's template outside Dubai. Dubai's links have a
 * token that only the regulator knows.
 */
export function permitUrlOf(listing: PermitListing, brand: PermitBrand): string | null {
  const number = cleanText(listing.permit_number);
  if (isDraft(listing) || number === '' || number === '0') return null;
  const given = httpsUrl(listing.permit_url);
  if (given !== null) return given;
  const template = officialTemplate(brand);
  const allowsTemplate = ['abu-dhabi', 'northern'].includes(emirateOf(listing));
  if (template === null || !allowsTemplate || !permitNumber.test(number)) return null;
  return template.replaceAll('{permit}', encodeURIComponent(number));
}

/** null for another scheme, and for text that is no address. */
export function httpsUrl(text: string): string | null {
  const address = cleanText(text);
  return URL.canParse(address) && new URL(address).protocol === 'https:' ? new URL(address).href : null;
}

/** Whether the address is on a regulator's host or a subdomain of it. */
export function isOfficial(url: string, { permitHosts }: Pick<Brand, 'permitHosts'>): boolean {
  const { hostname } = new URL(url);
  return permitHosts.some(host => hostname === host || hostname.endsWith(`.${host}`));
}

const officialTemplate = (brand: PermitBrand): string | null =>
  brand.permitUrl !== undefined && isOfficial(brand.permitUrl.replaceAll('{permit}', '0'), brand)
    ? brand.permitUrl
    : null;
