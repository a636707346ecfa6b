/** Where a listing is shown on the house's own site. */
import type { Listing } from '../../listing.ts';
import type { Brand } from '../brand.ts';
import { cleanText } from './clean-text.ts';

/** null when the brand has no such site, or the listing no reference to be found by. */
export function listingUrlOf(
  { reference_number }: Pick<Listing, 'reference_number'>,
  { listingUrl }: Pick<Brand, 'listingUrl'>,
): string | null {
  const reference = cleanText(reference_number);
  if (listingUrl === undefined || reference === '') return null;
  return listingUrl.replaceAll('{reference}', encodeURIComponent(reference));
}
