/** Puts the photos into the design's slots and cuts them to size. */
import type { JobContext } from '../../core/jobs/handler.ts';
import type { ListingPhotos } from './gather-photos.ts';
import type { Design, PhotoSlot, PreparedListing } from './layout/design.ts';
import type { Listing } from './listing.ts';
import type { PhotoSource } from './photos/fetch-photo.ts';
import type { HadPhoto } from './photos/fetch-photos.ts';
import { type FitOrder, type FittedPhoto, fitPhotos } from './photos/fit-photos.ts';
import { type PhotoGrade, printGrade } from './photos/photo-grade.ts';
import type { CutPhoto } from './print/stand-ins.ts';

export interface ComposedListings {
  prepared: PreparedListing[];
  /** The cut photos, by the URL that the page asks for. */
  assets: Map<string, CutPhoto>;
  printed: number;
}

/** A slot of one listing, and the photo that goes into it. */
interface Placed {
  slot: PhotoSlot;
  photo: HadPhoto | undefined;
}

export async function composePhotos(
  listings: readonly Listing[],
  photos: readonly ListingPhotos[],
  design: Design,
  source: PhotoSource,
  context: Pick<JobContext, 'signal' | 'progress'>,
  grade: PhotoGrade = printGrade,
): Promise<ComposedListings> {
  const placed = listings.map((listing, index) => {
    const { had = [], missing = 0 } = photos[index] ?? {};
    return design.arrange(had, missing, listing).map(place => ({
      slot: place.slot,
      photo: place.photo === null ? undefined : had[place.photo],
    }));
  });
  const orders = [
    ...placed.flat(),
    ...photos.map(({ agent }): Placed => ({ slot: design.agentSlot, photo: agent })),
  ].flatMap(({ slot, photo }) => (photo ? [{ slot, photo, grade }] : []));
  const fitted = await fitPhotos(orders, source, {
    signal: context.signal,
    onProgress: (done, total) => context.progress('fitting', done, total, 40 + (20 * done) / total),
  });
  return assemble(listings, placed, photos, design, fittedByOrder(orders, fitted));
}

type Fitted = (slot: PhotoSlot, photo: HadPhoto | undefined) => FittedPhoto | undefined;

function fittedByOrder(orders: readonly FitOrder[], fitted: Awaited<ReturnType<typeof fitPhotos>>): Fitted {
  const bySlot = new Map<PhotoSlot, Map<HadPhoto, FittedPhoto>>();
  orders.forEach(({ slot, photo }, index) => {
    const answer = fitted[index];
    if (!answer?.ok) return;
    const byPhoto = bySlot.get(slot) ?? new Map<HadPhoto, FittedPhoto>();
    bySlot.set(slot, byPhoto.set(photo, answer));
  });
  return (slot, photo) => photo && bySlot.get(slot)?.get(photo);
}

function assemble(
  listings: readonly Listing[],
  placed: readonly (readonly Placed[])[],
  photos: readonly ListingPhotos[],
  design: Design,
  fittedOf: Fitted,
): ComposedListings {
  const assets = new Map<string, CutPhoto>();
  const source = (fitted: FittedPhoto | undefined): string | null => {
    if (!fitted) return null;
    const { hash, body, widthPx, heightPx } = fitted;
    const url = `https://brochure.invalid/photos/${hash}.jpg`;
    assets.set(url, { body, contentType: 'image/jpeg', hash, widthPx, heightPx });
    return url;
  };
  const prepared = listings.map((listing, index) => ({
    listing,
    photos: (placed[index] ?? []).map(({ slot, photo }) => ({ slot, src: source(fittedOf(slot, photo)) })),
    agentPhoto: source(fittedOf(design.agentSlot, photos[index]?.agent)),
  }));
  const printed = prepared.flatMap(({ photos: slots }) => slots.filter(({ src }) => src !== null)).length;
  return { prepared, assets, printed };
}
