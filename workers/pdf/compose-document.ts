/** The document of some listings with their photos, to be shown as images. */
import type { Design } from './layout/design.ts';
import type { Listing } from './listing.ts';
import { composePhotos, type PhotoContext, withPhotos } from './listing-photos.ts';
import type { PhotoSource } from './photos/fetch-photos.ts';

export async function composeDocument(
  listings: readonly Listing[],
  design: Design,
  source: PhotoSource,
  context: PhotoContext,
) {
  const { photos, result } = await withPhotos(listings, design, source, context, (found, ofJob) =>
    composePhotos(listings, found.listings, design, ofJob, context),
  );
  const assets = new Map([...design.assets, ...result.assets]);
  return { photos, document: { html: design.html(result.prepared), assets, signal: context.signal } };
}
