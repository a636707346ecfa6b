/** Fetches the photos that a design prints of each listing, and crops them into the design's slots. */
import type { JobContext } from '../../core/jobs/handler.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import type { Design, DocumentPart } from './layout/design.ts';
import { planSlots } from './layout/floor-plans.ts';
import { type PhotoSlot, slotWithin } from './layout/photo-slot.ts';
import { withBleed } from './layout/sheet.ts';
import type { PreparedListing } from './layout/view/listing.ts';
import { mapSlot } from './layout/view/location.ts';
import type { Listing } from './listing.ts';
import { type CropOrder, cropId, cropPhotos } from './photos/crop-photos.ts';
import { type FetchedPhoto, fetchPhotos, type PhotoResult, type PhotoSource } from './photos/fetch-photos.ts';
import { measureBrightness } from './photos/measure-brightness.ts';
import { type PhotoQuality, screenQuality } from './photos/photo-quality.ts';
import type { PhotoAsset } from './print/placeholders.ts';
import type { ReportStage } from './progress.ts';

/** Streets change rarely, and many providers charge for each map. */
const maxFreshMapMs = 7 * 86_400_000;

/** Width by height of an agent’s photo: a wider one is no portrait. */
const maxPortraitRatio = 1.3;

/** A photo with a shorter longer side cannot be printed large. */
const minPhotoPx = 600;

/** Photos that are looked up in the cache to predict the time of all. */
const maxSample = 40;

/** The photos after those that are printed which are loaded, so that "More photographs online" is never a false claim. */
const provenPhotos = 2;

interface PhotoRef {
  /** JSON Pointer into the request. */
  pointer: string;
  url: string;
}

export type PhotoContext = Pick<JobContext, 'signal'> & { report?: ReportStage };

export type CollectedPhotos = Awaited<ReturnType<typeof collectPhotos>>;

/**
 * Fetches the photos that the design prints, and a spare one for each that fails or that the same source could not crop
 * before.
 */
export async function collectPhotos(
  listings: readonly Listing[],
  design: Design,
  source: PhotoSource,
  context: PhotoContext,
) {
  const refs = listings.map((listing, index) => refsOf(listing, index, design));
  const results = new Map<string, PhotoResult>();
  const fetch = async (wanted: readonly PhotoRef[]) => {
    const onProgress = (done: number, total: number) => context.report?.('photos', done, total);
    const urls = wanted.map(({ url }) => url);
    const photos = await fetchPhotos(urls, source, { signal: context.signal, onProgress });
    for (const photo of photos) results.set(photo.url, photo);
  };
  const fetchedOf = (wanted: readonly PhotoRef[]): FetchedPhoto[] =>
    wanted.flatMap(({ url }) => {
      const result = results.get(url);
      return result?.ok ? [result] : [];
    });

  const maps = refs.flatMap(each => each.map.map(({ url }) => url));
  await Promise.all([
    fetch(refs.flatMap(each => [...each.first, ...each.further, ...each.agent, ...each.plans])),
    fetchPhotos(maps, source, { signal: context.signal, maxFreshMs: maxFreshMapMs }).then(fetched =>
      fetched.map(map => results.set(map.url, map)),
    ),
  ]);
  const spares = refs.map(each => each.spare.slice(0, each.first.length - fetchedOf(each.first).length));
  if (spares.some(({ length }) => length > 0)) await fetch(spares.flat());
  const tried = refs.map((each, index) => [...each.first, ...(spares[index] ?? [])]);

  const collected = refs.map((each, index) => {
    const fetched = fetchedOf(tried[index] ?? []);
    return { fetched, missing: each.first.length - fetched.length };
  });
  const lead = leadOf(listings, collected, design);
  return {
    /**
     * `fetched`: in the order of the request, at most as many as the design prints. `missing`: slots without a photo,
     * because no spare photo was left. `hasMore`: whether further photos could be loaded.
     */
    listings: await mapConcurrent(refs.entries(), { limit: 4, signal: context.signal }, async ([index, each]) => {
      const further = new Set(fetchedOf(each.further).map(({ hash }) => hash));
      const { fetched = [], missing = 0 } = collected[index] ?? {};
      for (const { hash } of fetched) further.delete(hash);
      const [agent, map] = [fetchedOf(each.agent).at(0), fetchedOf(each.map).at(0)];
      // Only the cover and the new design have words on photos.
      const shown = [
        ...(design.name === 'new' ? openingOf(listings[index], { fetched, missing }, design) : []),
        ...(lead?.index === index ? [lead] : []),
      ];
      const bright = await measureBrightness(shown, source);
      const hasMore = further.size === provenPhotos;
      return { fetched, missing, hasMore, agent, plans: fetchedOf(each.plans), map, bright };
    }),
    faults: refs.flatMap((each, index) => [
      ...faultsOf([...(tried[index] ?? []), ...each.agent], 'photo', results),
      ...faultsOf(each.plans, 'floor plan', results),
    ]),
    /** Photos that are printed small. */
    small: tried.flat().flatMap(ref => smallPhotos(ref, results.get(ref.url))),
    /** The provider's, not the request's: the page shows the distances to landmarks. */
    mapFaults: refs.flatMap(each => faultsOf(each.map, 'map', results)),
  };
}

interface ListingPhotos {
  fetched: readonly FetchedPhoto[];
  missing: number;
}

/** The photos at the top of the listing's first page. */
function openingOf(
  listing: Listing | undefined,
  { fetched, missing }: ListingPhotos,
  design: Design,
): { photo: FetchedPhoto; slot: PhotoSlot }[] {
  const placed = listing === undefined ? [] : design.arrange(fetched, missing, listing);
  return placed.flatMap(({ slot, photo: at }) => {
    const photo = fetched[at ?? -1];
    return photo && slot.name.startsWith('hero') ? [{ photo, slot }] : [];
  });
}

/** The first photo that is large enough for the cover, with the index of its listing; undefined without a cover. */
function leadOf(listings: readonly Listing[], photos: readonly ListingPhotos[], design: Design) {
  if (design.coverPagesOf(listings.length) === 0) return undefined;
  for (const [index, each] of photos.entries()) {
    const [opening] = openingOf(listings[index], each, design);
    const slot = opening && design.leadSlot(opening.photo, listings.length);
    if (slot) return { index, photo: opening.photo, slot };
  }
  return undefined;
}

/**
 * Assigns the photos to the slots that the design chooses.
 * @returns the listings for the design, the crops to make by their URL on the page, and the number of printed photos
 */
export function placePhotos(
  listings: readonly Listing[],
  photos: CollectedPhotos['listings'],
  design: Design,
  quality: PhotoQuality = screenQuality,
) {
  const crops = new Map<string, CropOrder & { id: string }>();
  const srcOf = (slot: PhotoSlot, photo: FetchedPhoto | undefined): string | null => {
    if (!photo) return null;
    const order = { slot, photo, quality };
    const id = cropId(order);
    const url = `https://brochure.invalid/photos/${id}.jpg`;
    crops.set(url, { ...order, id });
    return url;
  };
  /** A picture that is no portrait, such as a logo, is fitted: its centre may be empty. */
  const agentPhotoOf = (slot: PhotoSlot, photo: FetchedPhoto | undefined) => {
    const ratio = photo === undefined ? 1 : photo.widthPx / photo.heightPx;
    if (ratio <= maxPortraitRatio) return { agentPhoto: srcOf(slot, photo) };
    const fitted = { ...slot, heightMm: slot.widthMm / ratio };
    return { agentPhoto: srcOf(fitted, photo), agentPhotoRatio: Math.round(ratio * 100) / 100 };
  };
  const lead = leadOf(listings, photos, design);
  const leadViewOf = (index: number): PreparedListing['lead'] => {
    if (index !== lead?.index) return undefined;
    const printed = design.sheet === undefined ? lead.slot : withBleed(lead.slot);
    return { widthMm: printed.widthMm, heightMm: printed.heightMm, src: srcOf(printed, lead.photo) ?? '' };
  };
  const prepared = listings.map((listing, index): PreparedListing => {
    const { fetched = [], missing = 0, hasMore, agent, plans = [], map, bright } = photos[index] ?? {};
    return {
      listing,
      hasMorePhotos: hasMore,
      photos: design.arrange(fetched, missing, listing).map(({ slot, photo }) => {
        const placed = photo === null ? undefined : fetched[photo];
        const within = placed === undefined ? slot : slotWithin(slot, placed, design.name);
        const printed = within === slot && design.sheet !== undefined ? withBleed(slot) : within;
        return { slot, printed, src: srcOf(printed, placed) };
      }),
      ...agentPhotoOf(design.agentSlot, agent),
      plans: planSlots(plans).map((slot, at) => ({ slot, src: srcOf(slot, plans[at]) ?? '' })),
      map: srcOf(mapSlot, map) ?? undefined,
      lead: leadViewOf(index),
      bright,
    };
  });
  const printed = prepared.flatMap(({ photos: slots }) => slots.filter(({ src }) => src !== null)).length;
  return { prepared, crops, printed };
}

export type PlacedPhotos = ReturnType<typeof placePhotos>;

/** The crops of the listings from one index up to another. */
export function cropsOf(
  { prepared, crops }: Pick<PlacedPhotos, 'crops'> & { prepared: readonly PreparedListing[] },
  part: DocumentPart,
) {
  const urls = prepared.slice(part.from, part.to).flatMap(({ photos, agentPhoto, plans = [], map, lead }) => {
    return [...photos.map(({ src }) => src), agentPhoto, ...plans.map(({ src }) => src), map, lead?.src];
  });
  const orders = urls.map(url => [url ?? '', crops.get(url ?? '')] as const);
  return new Map(orders.flatMap(([url, order]) => (order ? [[url, order] as const] : [])));
}

/**
 * @returns the cropped photos by their URL on the page; undefined when one could not be cropped: `collectPhotos` with the
 * same source, of `sourceOfJob`, reports it as missing from then on
 */
export async function cropPlaced(
  { crops }: Pick<PlacedPhotos, 'crops'>,
  source: PhotoSource,
  { signal, report }: PhotoContext,
) {
  const onProgress = (done: number, total: number) => report?.('fitting', done, total);
  onProgress(0, crops.size);
  const results = await cropPhotos([...crops.values()], source, { signal, onProgress });
  const assets = new Map<string, PhotoAsset>();
  for (const [at, [url, { id }]] of [...crops].entries()) {
    const crop = results[at];
    if (!crop?.ok) return undefined;
    const { body, widthPx, heightPx } = crop;
    assets.set(url, { body, contentType: 'image/jpeg', hash: id, widthPx, heightPx });
  }
  return assets;
}

/** How many photos a design prints of the listings, and how many of a sample must be fetched and cropped. */
export async function expectedPhotos(listings: readonly Listing[], design: Design, { cache }: PhotoSource) {
  const refs = listings.map((listing, index) => refsOf(listing, index, design));
  const urls = [
    ...new Set(
      refs
        .flatMap(({ first, further, agent, plans }) => [...first, ...further, ...agent, ...plans])
        .map(({ url }) => url),
    ),
  ];
  const sample = urls.filter((_, at) => at % Math.ceil(urls.length / maxSample) === 0);
  const found = await Promise.all(sample.map(url => cache.look(url)));
  const shareOf = (isMissing: (photo: (typeof found)[number]) => boolean) =>
    found.filter(isMissing).length / Math.max(1, found.length);
  return {
    photos: urls.length,
    fetched: shareOf(({ isFresh }) => !isFresh),
    cropped: shareOf(({ isCropped }) => !isCropped),
  };
}

/** `spare` photos replace the first ones that fail, in this order. `further` ones are proof of more photos. */
function refsOf(
  listing: Listing,
  index: number,
  { name, maxPhotos, mapUrl, listingUrl }: Pick<Design, 'name' | 'maxPhotos' | 'mapUrl' | 'listingUrl'>,
) {
  const photos = listing.photo.map((url, place) => ({ pointer: `/list/${index}/photo/${place}`, url }));
  const agent = { pointer: `/list/${index}/agent/photo`, url: listing.agent.photo };
  const map = mapUrl(listing);
  const proven = name === 'card' || listingUrl(listing) === null ? 0 : provenPhotos;
  return {
    plans: listing.floor_plans.map((url, place) => ({ pointer: `/list/${index}/floor_plans/${place}`, url })),
    map: map === null ? [] : [{ pointer: `/list/${index}/geopoints`, url: map }],
    first: photos.slice(0, maxPhotos),
    spare: photos.slice(maxPhotos),
    further: photos.length < maxPhotos + proven ? [] : photos.slice(maxPhotos, maxPhotos + proven),
    agent: agent.url === '' ? [] : [agent],
  };
}

function smallPhotos({ pointer }: PhotoRef, photo: PhotoResult | undefined) {
  if (!photo?.ok || Math.max(photo.widthPx, photo.heightPx) >= minPhotoPx) return [];
  const size = `${photo.widthPx} × ${photo.heightPx}`;
  return [{ pointer, detail: `The photo has only ${size} pixels and is printed small; send at least ${minPhotoPx}.` }];
}

function faultsOf(refs: readonly PhotoRef[], what: string, results: ReadonlyMap<string, PhotoResult>) {
  return refs.flatMap(({ pointer, url }) => {
    const result = results.get(url);
    if (!result || result.ok) return [];
    return [{ pointer, detail: `The ${what} could not be loaded: ${result.reason}.`, transient: result.transient }];
  });
}
