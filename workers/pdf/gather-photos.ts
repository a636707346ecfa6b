/** Gets the photos that a design prints of each listing; a photo that cannot be had is replaced by a spare one. */
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Design } from './layout/design.ts';
import type { Listing } from './listing.ts';
import type { PhotoSource } from './photos/fetch-photo.ts';
import { type FetchedPhoto, fetchPhotos, type HadPhoto } from './photos/fetch-photos.ts';

/** A photo that could not be had, by its JSON Pointer into the request. */
export interface PhotoFault {
  pointer: string;
  detail: string;
  /** Whether the same URL may give the photo a little later. */
  passing: boolean;
}

export interface ListingPhotos {
  /** In the order of the request, at most as many as the design prints. */
  had: HadPhoto[];
  /** Places that stay without a photo, because there was no spare one. */
  missing: number;
  agent: HadPhoto | undefined;
}

export interface GatheredPhotos {
  listings: ListingPhotos[];
  faults: PhotoFault[];
  /** Until then their URLs are taken to give the same photos, in ms since the epoch. */
  freshUntil: number;
}

/** No longer than this, also where there is no photo that could change. */
const longestFreshMs = 10 * 60_000;

interface Wanted {
  pointer: string;
  url: string;
}

/** A listing's own photos, in its order, and then what comes in place of those that cannot be had. */
interface ListingWants {
  first: Wanted[];
  spare: Wanted[];
  agent: Wanted[];
}

export async function gatherPhotos(
  listings: readonly Listing[],
  design: Design,
  source: PhotoSource,
  context: Pick<JobContext, 'signal' | 'progress'>,
): Promise<GatheredPhotos> {
  const wants = listings.map((listing, index) => wantsOf(listing, index, design.maxPhotos));
  const answers = new Map<string, FetchedPhoto>();
  const fetch = async (wanted: readonly Wanted[], from: number, to: number) => {
    const onProgress = (done: number, total: number) =>
      context.progress('photos', done, total, from + ((to - from) * done) / total);
    const urls = wanted.map(({ url }) => url);
    const photos = await fetchPhotos(urls, source, { signal: context.signal, onProgress });
    for (const photo of photos) answers.set(photo.url, photo);
  };

  await fetch(
    wants.flatMap(want => [...want.first, ...want.agent]),
    0,
    35,
  );
  const spares = wants.flatMap(want => want.spare.slice(0, countMissing(want.first, answers)));
  if (spares.length > 0) await fetch(spares, 35, 40);

  return {
    listings: wants.map(want => photosOf(want, answers)),
    faults: wants.flatMap(want => [...want.first, ...want.spare, ...want.agent].flatMap(faultOf(answers))),
    freshUntil: freshUntilOf(answers.values()),
  };
}

function freshUntilOf(answers: Iterable<FetchedPhoto>): number {
  const times = [...answers].flatMap(answer => (answer.ok ? [answer.freshUntil] : []));
  return Math.min(Date.now() + longestFreshMs, ...times);
}

function wantsOf(listing: Listing, index: number, most: number): ListingWants {
  const photos = listing.photo.map((url, place) => ({ pointer: `/list/${index}/photo/${place}`, url }));
  const agent = { pointer: `/list/${index}/agent/photo`, url: listing.agent.photo };
  return {
    first: photos.slice(0, most),
    spare: photos.slice(most),
    agent: agent.url === '' ? [] : [agent],
  };
}

function photosOf(
  { first, spare, agent }: ListingWants,
  answers: ReadonlyMap<string, FetchedPhoto>,
): ListingPhotos {
  const had = [...first, ...spare].flatMap(hadOf(answers)).slice(0, first.length);
  return { had, missing: first.length - had.length, agent: agent.flatMap(hadOf(answers)).at(0) };
}

const countMissing = (wanted: readonly Wanted[], answers: ReadonlyMap<string, FetchedPhoto>): number =>
  wanted.length - wanted.flatMap(hadOf(answers)).length;

const hadOf =
  (answers: ReadonlyMap<string, FetchedPhoto>) =>
  ({ url }: Wanted): HadPhoto[] => {
    const answer = answers.get(url);
    return answer?.ok ? [answer] : [];
  };

const faultOf =
  (answers: ReadonlyMap<string, FetchedPhoto>) =>
  ({ pointer, url }: Wanted): PhotoFault[] => {
    const answer = answers.get(url);
    if (!answer || answer.ok) return [];
    return [{ pointer, detail: `The photo could not be had: ${answer.reason}.`, passing: answer.passing }];
  };
