/** Checks photos: their URLs without network access, and with it whether the URLs return photos. */
import { EgressError } from '../../../core/egress/egress-error.ts';
import type { GuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { mapConcurrent } from '../../../core/runtime/map-concurrent.ts';
import { createTimeout } from '../../../core/runtime/timeout.ts';
import { describeNonImage, imageFormat } from '../../../core/values/image-format.ts';
import type { Listing } from '../listing.ts';
import { type FieldFinding, type Finding, hint, warning } from './finding.ts';

/** The check runs within the request, so it is shorter than the fetches of a print. */
const limits = { photos: 120, concurrency: 12, timeoutMs: 2_500, totalMs: 6_000, bytes: 65_536 } as const;

const requestHeaders = {
  accept: 'image/jpeg,image/png;q=0.9,image/webp;q=0.8,*/*;q=0.5',
  range: 'bytes=0-1023',
};

export function* photoFindings({ photo, agent, floor_plans }: Listing): Iterable<FieldFinding> {
  if (photo.length === 0) {
    yield warning('photo-missing', '/photo', 'There is no photo; send at least one, the best first.');
  }
  for (const [index, url] of photo.entries()) yield* urlFindings(url, `/photo/${index}`);
  for (const [index, url] of floor_plans.entries()) yield* urlFindings(url, `/floor_plans/${index}`);
  if (agent.photo !== '') yield* urlFindings(agent.photo, '/agent/photo');
  for (const [index, url] of photo.entries()) {
    const first = photo.indexOf(url);
    if (first === index) continue;
    yield hint('photo-repeated', `/photo/${index}`, `Photo ${first} has the same URL; send each photo once.`);
  }
}

function* urlFindings(url: string, field: string): Iterable<FieldFinding> {
  if (!isPhotoUrl(url)) yield warning('photo-address', field, 'This is not an http or https URL.');
}

const isPhotoUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/**
 * Fetches the first bytes of each photo.
 * @returns one finding per unavailable photo, and a hint when the limits left photos unchecked
 */
export async function unavailablePhotos(
  list: readonly Listing[],
  fetcher: GuardedFetch,
  signal: AbortSignal,
): Promise<Finding[]> {
  const photos = photosOf(list);
  const urls = [...new Set(photos.map(({ url }) => url))];
  const timeout = createTimeout(limits.totalMs, signal);
  const reasons = new Map<string, string>();
  let checked = 0;
  const check = async (url: string) => {
    if (timeout.signal.aborted) return;
    checked += 1;
    const reason = await unavailableReason(url, fetcher, timeout.signal);
    if (reason !== undefined) reasons.set(url, reason);
  };
  const { photos: maxPhotos, concurrency, totalMs } = limits;
  await mapConcurrent(urls.slice(0, maxPhotos), { limit: concurrency }, check).finally(timeout.clear);
  signal.throwIfAborted();
  const findings = photos.flatMap(({ url, pointer }): Finding[] => {
    const reason = reasons.get(url);
    if (reason === undefined) return [];
    const detail = `The photo could not be loaded: ${reason}; correct its URL or remove it.`;
    return [{ code: 'photo-dead', severity: 'warning', pointer, detail }];
  });
  const unchecked = urls.length - checked;
  if (unchecked === 0) return findings;
  const detail = `${unchecked} photos were not checked: the limits are ${maxPhotos} photos and ${totalMs / 1_000} seconds.`;
  return [...findings, { code: 'photos-unchecked', severity: 'hint', pointer: '/list', detail }];
}

const photosOf = (list: readonly Listing[]) =>
  list
    .flatMap(({ photo, agent, floor_plans }, index) => [
      ...photo.map((url, place) => ({ url, pointer: `/list/${index}/photo/${place}` })),
      ...floor_plans.map((url, place) => ({ url, pointer: `/list/${index}/floor_plans/${place}` })),
      { url: agent.photo, pointer: `/list/${index}/agent/photo` },
    ])
    .filter(({ url }) => isPhotoUrl(url));

/** A clause such as "the server answered 404"; undefined for a photo, and when the time limit ends the check. */
async function unavailableReason(url: string, fetcher: GuardedFetch, signal: AbortSignal): Promise<string | undefined> {
  const options = { maxBytes: limits.bytes, timeoutMs: limits.timeoutMs, headers: requestHeaders, signal };
  try {
    const { bytes } = await fetcher.fetch(url, options);
    return imageFormat(bytes) === undefined ? describeNonImage(bytes) : undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof EgressError)) throw error;
    // A server without range requests sends the whole file: it is available.
    return error.reason === 'too-large' ? undefined : error.message;
  }
}
