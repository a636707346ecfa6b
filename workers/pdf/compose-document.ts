/** The document of some listings with their photos, to be shown as images. */
import type { Design } from './layout/design.ts';
import type { Listing } from './listing.ts';
import { collectPhotos, cropPlaced, type PhotoContext, type PlacedPhotos, placePhotos } from './listing-photos.ts';
import { type PhotoSource, sourceOfJob } from './photos/fetch-photos.ts';
import { createPlaceholders, type PhotoAsset } from './print/placeholders.ts';

/** An attribute of each page of a listing; in texts, quotes are escaped. */
const startOfPage = ' data-listing="';

export interface ComposeContext extends PhotoContext {
  /** From 1: only this page of the listings will be drawn, so that its photos are enough; 0: the cover; default all pages. */
  page?: number | undefined;
}

export async function composeDocument(
  listings: readonly Listing[],
  design: Design,
  shared: PhotoSource,
  { page, ...context }: ComposeContext,
) {
  const source = sourceOfJob(shared);
  for (;;) {
    const photos = await collectPhotos(listings, design, source, context);
    const placed = placePhotos(listings, photos.listings, design);
    const html = design.html(placed.prepared);
    const crops = page === undefined ? placed.crops : cropsOfPage(placed, html.split(startOfPage)[page] ?? '');
    const cropped = await cropPlaced({ crops }, source, context);
    if (!cropped) continue;
    const assets = new Map([...design.assets, ...(await placeholdersOf(placed, cropped)), ...cropped]);
    return { photos, prepared: placed.prepared, cropped, document: { html, assets, signal: context.signal } };
  }
}

const cropsOfPage = ({ crops }: PlacedPhotos, drawn: string) =>
  new Map([...crops].filter(([url]) => drawn.includes(url)));

/** For the photos of the other pages. */
function placeholdersOf({ crops }: PlacedPhotos, cropped: ReadonlyMap<string, PhotoAsset>) {
  const others = [...crops].filter(([url]) => !cropped.has(url));
  return createPlaceholders(new Map(others.map(([url, { id }]) => [url, { kind: 'photo', hash: id }])));
}
