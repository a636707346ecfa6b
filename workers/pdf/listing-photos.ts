/** Fetches the photos that a design prints of each listing, and crops them into the design's slots. */
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Design, PhotoSlot, PreparedListing } from './layout/design.ts';
import type { Listing } from './listing.ts';
import { type CropOrder, type CroppedPhoto, cropPhotos } from './photos/crop-photos.ts';
import { type FetchedPhoto, fetchPhotos, type PhotoResult, type PhotoSource } from './photos/fetch-photos.ts';
import { type PhotoQuality, printQuality } from './photos/photo-quality.ts';
import type { PhotoAsset } from './print/placeholders.ts';

export interface PhotoFault {
  /** JSON Pointer into the request. */
  pointer: string;
  detail: string;
  /** Whether a later fetch of the same URL may succeed. */
  transient: boolean;
}

export interface ListingPhotos {
  /** In the order of the request, at most as many as the design prints. */
  fetched: FetchedPhoto[];
  /** Slots without a photo, because no spare photo was left. */
  missing: number;
  agent: FetchedPhoto | undefined;
}

export interface CollectedPhotos {
  listings: ListingPhotos[];
  faults: PhotoFault[];
  /** Until then the URLs are assumed to return the same photos; ms since the epoch. */
  freshUntil: number;
}

/** Also for a request without photos that could change. */
const maxFreshMs = 10 * 60_000;

interface PhotoRef {
  pointer: string;
  url: string;
}

interface ListingRefs {
  first: PhotoRef[];
  /** Replace the first ones that fail, in this order. */
  spare: PhotoRef[];
  agent: PhotoRef[];
}

/** Fetches the photos that the design prints, and a spare one for each that fails. */
export async function collectPhotos(
  listings: readonly Listing[],
  design: Design,
  source: PhotoSource,
  context: Pick<JobContext, 'signal' | 'progress'>,
): Promise<CollectedPhotos> {
  const refs = listings.map((listing, index) => refsOf(listing, index, design.maxPhotos));
  const results = new Map<string, PhotoResult>();
  const fetch = async (wanted: readonly PhotoRef[], from: number, to: number) => {
    const onProgress = (done: number, total: number) =>
      context.progress('photos', done, total, from + ((to - from) * done) / total);
    const urls = wanted.map(({ url }) => url);
    const photos = await fetchPhotos(urls, source, { signal: context.signal, onProgress });
    for (const photo of photos) results.set(photo.url, photo);
  };
  const fetchedOf = (wanted: readonly PhotoRef[]): FetchedPhoto[] =>
    wanted.flatMap(({ url }) => {
      const result = results.get(url);
      return result?.ok ? [result] : [];
    });

  const first = refs.flatMap(each => [...each.first, ...each.agent]);
  await fetch(first, 0, 35);
  const spares = refs.flatMap(each => each.spare.slice(0, each.first.length - fetchedOf(each.first).length));
  if (spares.length > 0) await fetch(spares, 35, 40);

  return {
    listings: refs.map(each => {
      const fetched = fetchedOf([...each.first, ...each.spare]).slice(0, each.first.length);
      return { fetched, missing: each.first.length - fetched.length, agent: fetchedOf(each.agent).at(0) };
    }),
    faults: refs.flatMap(each => [...each.first, ...each.spare, ...each.agent].flatMap(faultOf(results))),
    freshUntil: freshUntilOf(results.values()),
  };
}

/**
 * Crops the photos at this quality and assigns them to the slots that the design chooses.
 * @returns the listings for the design, the cropped photos by their URL on the page, and the number of printed photos
 */
export async function composePhotos(
  listings: readonly Listing[],
  photos: readonly ListingPhotos[],
  design: Design,
  source: PhotoSource,
  context: Pick<JobContext, 'signal' | 'progress'>,
  quality: PhotoQuality = printQuality,
) {
  const placed = listings.map((listing, index) => {
    const { fetched = [], missing = 0 } = photos[index] ?? {};
    return design.arrange(fetched, missing, listing).map(({ slot, photo }) => ({
      slot,
      photo: photo === null ? undefined : fetched[photo],
    }));
  });
  const agents = photos.map(({ agent }) => ({ slot: design.agentSlot, photo: agent }));
  const orders = [...placed.flat(), ...agents].flatMap(({ slot, photo }): CropOrder[] =>
    photo ? [{ slot, photo, quality }] : [],
  );
  const results = await cropPhotos(orders, source, {
    signal: context.signal,
    onProgress: (done, total) => context.progress('fitting', done, total, 40 + (20 * done) / total),
  });
  const cropOf = cropFinder(orders, results);

  const assets = new Map<string, PhotoAsset>();
  const srcOf = (slot: PhotoSlot, photo: FetchedPhoto | undefined): string | null => {
    const crop = photo && cropOf(slot, photo);
    if (!crop) return null;
    const { hash, body, widthPx, heightPx } = crop;
    const url = `https://brochure.invalid/photos/${hash}.jpg`;
    assets.set(url, { body, contentType: 'image/jpeg', hash, widthPx, heightPx });
    return url;
  };
  const prepared = listings.map(
    (listing, index): PreparedListing => ({
      listing,
      photos: (placed[index] ?? []).map(({ slot, photo }) => ({ slot, src: srcOf(slot, photo) })),
      agentPhoto: srcOf(design.agentSlot, photos[index]?.agent),
    }),
  );
  const printed = prepared.flatMap(({ photos: slots }) => slots.filter(({ src }) => src !== null)).length;
  return { prepared, assets, printed };
}

function refsOf(listing: Listing, index: number, maxPhotos: number): ListingRefs {
  const photos = listing.photo.map((url, place) => ({ pointer: `/list/${index}/photo/${place}`, url }));
  const agent = { pointer: `/list/${index}/agent/photo`, url: listing.agent.photo };
  return {
    first: photos.slice(0, maxPhotos),
    spare: photos.slice(maxPhotos),
    agent: agent.url === '' ? [] : [agent],
  };
}

const faultOf =
  (results: ReadonlyMap<string, PhotoResult>) =>
  ({ pointer, url }: PhotoRef): PhotoFault[] => {
    const result = results.get(url);
    if (!result || result.ok) return [];
    const { reason, transient } = result;
    return [{ pointer, detail: `The photo could not be loaded: ${reason}.`, transient }];
  };

function freshUntilOf(results: Iterable<PhotoResult>): number {
  const times = [...results].flatMap(result => (result.ok ? [result.freshUntil] : []));
  return Math.min(Date.now() + maxFreshMs, ...times);
}

function cropFinder(orders: readonly CropOrder[], results: Awaited<ReturnType<typeof cropPhotos>>) {
  const bySlot = new Map<PhotoSlot, Map<FetchedPhoto, CroppedPhoto>>();
  orders.forEach(({ slot, photo }, index) => {
    const result = results[index];
    if (!result?.ok) return;
    const byPhoto = bySlot.get(slot) ?? new Map<FetchedPhoto, CroppedPhoto>();
    bySlot.set(slot, byPhoto.set(photo, result));
  });
  return (slot: PhotoSlot, photo: FetchedPhoto) => bySlot.get(slot)?.get(photo);
}
