/** The badge on the photo: For sale, For rent, Off-plan. */
import type { Listing } from '../../listing.ts';
import type { BadgeView } from '../listing-view.ts';
import { asLabel, isOffPlan, purposeOf } from './vocabulary.ts';

const longestUnknownPurpose = 24;

export function badgeOf(listing: Pick<Listing, 'purpose' | 'completion_status'>): BadgeView | null {
  const purpose = purposeOf(listing.purpose);
  if (purpose === 'rent') return { kind: 'rent', label: 'For rent' };
  if (isOffPlan(listing.completion_status)) return { kind: 'off-plan', label: 'Off-plan' };
  if (purpose === 'sale') return { kind: 'sale', label: 'For sale' };
  const label = asLabel(listing.purpose);
  return label === '' || label.length > longestUnknownPurpose ? null : { kind: 'other', label };
}
