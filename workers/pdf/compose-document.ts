/** The document of some listings with their photos, to be shown as images. */
import type { Design } from './layout/design.ts';
import type { Listing } from './listing.ts';
import { cropPlaced, type PhotoContext, placePhotos, withPhotos } from './listing-photos.ts';
import type { PhotoSource } from './photos/fetch-photos.ts';
import { createPlaceholders } from './print/placeholders.ts';

/** An attribute of each page of a listing; in texts, quotes are escaped. */
const startOfPage = ' data-listing="';

/** @param page from 1: only this page of the listings will be drawn, so that its photos are enough; default all pages */
export async function composeDocument(
  listings: readonly Listing[],
  design: Design,
  source: PhotoSource,
  context: PhotoContext,
  page?: number,
) {
  const { photos, result } = await withPhotos(listings, design, source, context, async (found, ofJob) => {
    const placed = placePhotos(listings, found.listings, design);
    const html = design.html(placed.prepared);
    const drawn = page === undefined ? html : (html.split(startOfPage)[page] ?? '');
    const crops = new Map([...placed.crops].filter(([url]) => drawn.includes(url)));
    const others = [...placed.crops].filter(([url]) => !crops.has(url));
    const placeholders = createPlaceholders(new Map(others.map(([url, { id }]) => [url, { kind: 'photo', hash: id }])));
    const cropped = await cropPlaced({ ...placed, crops }, ofJob, context);
    return { html, assets: new Map([...design.assets, ...(await placeholders), ...cropped]) };
  });
  return { photos, document: { ...result, signal: context.signal } };
}
