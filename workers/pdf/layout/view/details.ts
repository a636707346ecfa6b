/** The details table: only the rows that exist; the reference always does. */
import type { Listing } from '../../listing.ts';
import type { DetailView } from '../listing-view.ts';
import { cleanText } from './clean-text.ts';
import { isFlagged } from './number-text.ts';
import { directed } from './text-direction.ts';
import { asLabel, completionOf, furnishingOf } from './vocabulary.ts';

export function detailsOf(listing: Listing): DetailView[] {
  const rows: [keyof Listing, string, string][] = [
    ['reference_number', 'Reference', cleanText(listing.reference_number)],
    ['property_type', 'Property type', asLabel(listing.property_type)],
    ['completion_status', 'Completion', completionOf(listing.completion_status)],
    ['furnishing_type', 'Furnishing', furnishingOf(listing.furnishing_type, listing.furnished)],
    ['property_condition', 'Condition', asLabel(listing.property_condition)],
    ['views', 'View', asLabel(listing.views)],
    ['current_status', 'Status', asLabel(listing.current_status)],
    [
      'property_managed_by_us',
      'Management',
      isFlagged(listing.property_managed_by_us) ? 'Managed by us' : '',
    ],
  ];
  return rows
    .filter(([, , value]) => value !== '')
    .map(([field, label, value]) => ({ field, label, value: directed(value) }));
}
