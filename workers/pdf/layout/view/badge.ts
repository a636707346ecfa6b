/** The badge on the photo: For sale, For rent, Off-plan, Holiday home. */
import type { Listing } from '../../listing.ts';
import { type Labels, labelsOf } from '../labels.ts';
import type { BadgeView } from '../listing-view.ts';
import type { ListingKind } from './listing-kind.ts';
import { asLabel, isOffPlan, purposeOf } from './vocabulary.ts';

const english = labelsOf('en');
const longestUnknownPurpose = 24;

export function badgeOf(
  listing: Pick<Listing, 'purpose' | 'completion_status'>,
  labels: Labels = english,
  kind: ListingKind = 'home',
): BadgeView | null {
  const purpose = purposeOf(listing.purpose);
  if (kind === 'holiday') return { kind: 'rent', label: labels.label('holidayHome') };
  if (purpose === 'rent') return { kind: 'rent', label: labels.label('forRent') };
  if (isOffPlan(listing.completion_status)) return { kind: 'off-plan', label: labels.label('offPlan') };
  if (purpose === 'sale') return { kind: 'sale', label: labels.label('forSale') };
  const label = asLabel(listing.purpose);
  return label === '' || label.length > longestUnknownPurpose ? null : { kind: 'other', label };
}
