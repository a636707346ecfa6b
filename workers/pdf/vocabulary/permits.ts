/** The permit of a listing and the link to the regulator's record, for checks, look-ups and pages. */
import { z } from 'zod';
import { isYes } from '../../../core/values/number-text.ts';
import { cleanText } from '../layout/view/text.ts';
import type { Listing } from '../listing.ts';
import { emirateOf } from './emirates.ts';

/** The members of a brand's file that concern permits. */
export const PermitBrand = z.object({
  licenceNumber: z
    .string()
    .regex(/^[\w/-]{1,40}$/, 'must be the number only, such as 12345')
    .optional()
    .describe('Of the brokerage, in Dubai the ORN. The listing portal needs it to look permits up.'),
  permitHosts: z
    .array(z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a host such as dubailand.gov.ae'))
    .default(['dubailand.gov.ae', 'dari.ae'])
    .describe('Hosts of the regulators, with their subdomains: only links to them are called official records.'),
  permitUrl: z
    .url({ protocol: /^https$/ })
    .refine(url => url.includes('{permit}'), 'must contain {permit}')
    .optional()
    .describe(
      'A regulator’s page of a permit outside Dubai, on one of `permitHosts`. Dubai’s pages cannot be made from the number.',
    ),
});
export type PermitBrand = z.output<typeof PermitBrand>;

type PermitListing = Pick<Listing, 'permit_number' | 'permit_url' | 'city' | 'draft'>;

/** Dubai: 7116777484; Abu Dhabi: 20250000534239-1#202400236475. Checks the characters only. */
const numberForm = /^\d[\d#/-]{2,59}$/;

export const isDraft = ({ draft }: Pick<Listing, 'draft'>): boolean => isYes(draft);

/** '' without one. */
export const permitNumberOf = ({ permit_number }: Pick<Listing, 'permit_number'>): string =>
  cleanText(permit_number).replace(/^0$/, '');

/**
 * The regulator's record: the link of the listing, or one made from the brand's template outside Dubai. Dubai's links have a
 * token that only the regulator knows. null when none is known.
 */
export function permitUrlOf(listing: PermitListing, brand: PermitBrand): string | null {
  const number = permitNumberOf(listing);
  if (isDraft(listing) || number === '') return null;
  const given = httpsUrl(listing.permit_url);
  if (given !== null) return given;
  const template = officialTemplate(brand);
  const allowsTemplate = ['abu-dhabi', 'northern'].includes(emirateOf(listing));
  if (template === null || !allowsTemplate || !numberForm.test(number)) return null;
  return template.replaceAll('{permit}', encodeURIComponent(number));
}

/** A code of 22 mm with a longer address has modules that phones read badly. */
const maxUrlLength = 300;

/** null for another scheme, for a long address, and for text that is no address. */
export function httpsUrl(text: string): string | null {
  const address = cleanText(text);
  if (address.length > maxUrlLength) return null;
  return URL.canParse(address) && new URL(address).protocol === 'https:' ? new URL(address).href : null;
}

/** Whether the address is on a regulator's host or a subdomain of it. */
export function isOfficial(url: string, { permitHosts }: Pick<PermitBrand, 'permitHosts'>): boolean {
  const { hostname } = new URL(url);
  return permitHosts.some(host => hostname === host || hostname.endsWith(`.${host}`));
}

const officialTemplate = (brand: PermitBrand): string | null =>
  brand.permitUrl !== undefined && isOfficial(brand.permitUrl, brand) ? brand.permitUrl : null;
