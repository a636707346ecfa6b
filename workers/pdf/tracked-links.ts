/** A short link for each listing's page on the house's own site, so that a brochure's clicks and scans are counted. */

import type { LinkDraft } from '../../core/domain/links/link.ts';
import type { Links } from '../../core/domain/links/links.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Design } from './layout/design.ts';
import type { Listing } from './listing.ts';

/** A link's name and reference are shorter than a listing's may be. */
const longestName = 200;

/** @returns a short address for each listing, in their order; undefined for one that has no page of its own */
export async function trackListings(
  listings: readonly Listing[],
  design: Design,
  links: Pick<Links, 'create'>,
  context: Pick<JobContext, 'clientId' | 'warn'>,
): Promise<(string | undefined)[]> {
  const drafts = listings.map(listing => draftOf(listing, design, context.clientId));
  const wanted = drafts.flatMap(draft => draft ?? []);
  if (wanted.length < listings.length) {
    context.warn({
      pointer: '/trackLinks',
      detail: `${listings.length - wanted.length} of the listings have no page on the brand’s site (listingUrl): nothing of them can be tracked.`,
    });
  }
  // Printed again, a listing keeps the link it has.
  const made = await links.create(wanted, { findExisting: true });
  const shortUrls = made.map(({ link }) => link.shortUrl);
  return drafts.map(draft => (draft === undefined ? undefined : shortUrls.shift()));
}

function draftOf(listing: Listing, design: Design, clientId: string): LinkDraft | undefined {
  const url = design.listingUrl(listing);
  if (url === null) return undefined;
  const reference = listing.reference_number.replaceAll(/\p{Cc}/gu, ' ').slice(0, longestName);
  return {
    kind: 'brochure',
    name: reference,
    url,
    reference,
    utm: { source: 'brochure', medium: 'pdf' },
    clientId,
  };
}
