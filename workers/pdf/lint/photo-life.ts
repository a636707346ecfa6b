/** Asks photos for their first bytes, to tell before any print which of them are dead. */
import { EgressRefused } from '../../../core/egress/egress-refused.ts';
import type { GuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { timeBound } from '../../../core/runtime/timeout.ts';
import { imageFormat, whatElse } from '../../../core/values/image-format.ts';
import type { Listing } from '../listing.ts';
import type { Finding } from './finding.ts';
import { isPhotoAddress } from './photo-rules.ts';

/** A check is answered within the request, so it is bounded; a print takes its time with each photo. */
const bounds = { photos: 120, parallel: 12, eachMs: 2_500, totalMs: 6_000, bytes: 65_536 } as const;

const firstBytes = 'bytes=0-1023';

/** @returns a finding for each photo that is dead, and a hint when not all could be asked for */
export async function deadPhotos(
  list: readonly Listing[],
  fetcher: GuardedFetch,
  signal: AbortSignal,
): Promise<Finding[]> {
  const pointers = photoPointers(list);
  const urls = [...new Set(pointers.map(({ url }) => url))];
  const time = timeBound(bounds.totalMs, signal);
  const deaths = new Map<string, string>();
  const asked = urls.slice(0, bounds.photos);
  let unasked = urls.length - asked.length;
  const work = async () => {
    for (let url = asked.shift(); url !== undefined; url = asked.shift()) {
      if (time.signal.aborted) unasked += 1;
      else {
        const death = await deathOf(url, fetcher, time.signal);
        if (death !== undefined) deaths.set(url, death);
      }
    }
  };
  await Promise.all(Array.from({ length: bounds.parallel }, work)).finally(time.release);
  signal.throwIfAborted();
  return [...pointers.flatMap(deadAt(deaths)), ...notAsked(unasked)];
}

const photoPointers = (list: readonly Listing[]) =>
  list
    .flatMap(({ photo, agent }, index) => [
      ...photo.map((url, place) => ({ url, pointer: `/list/${index}/photo/${place}` })),
      { url: agent.photo, pointer: `/list/${index}/agent/photo` },
    ])
    .filter(({ url }) => isPhotoAddress(url));

/** @returns why the photo cannot be had, as a clause; undefined when it seems to be one */
async function deathOf(url: string, fetcher: GuardedFetch, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { bytes } = await fetcher.fetch(url, {
      maxBytes: bounds.bytes,
      timeoutMs: bounds.eachMs,
      headers: { accept: 'image/jpeg,image/png;q=0.9,image/webp;q=0.8,*/*;q=0.5', range: firstBytes },
      signal,
    });
    return imageFormat(bytes) === undefined ? whatElse(bytes) : undefined;
  } catch (error) {
    // The time for all is over: nothing is known of this one.
    if (signal.aborted) return undefined;
    if (!(error instanceof EgressRefused)) throw error;
    // A server that knows no ranges sends more than was asked for: there is something at least.
    return error.reason === 'too-large' ? undefined : error.message;
  }
}

const deadAt =
  (deaths: ReadonlyMap<string, string>) =>
  ({ url, pointer }: { url: string; pointer: string }): Finding[] => {
    const death = deaths.get(url);
    if (death === undefined) return [];
    const detail = `The photo cannot be had: ${death}; mend its address, or leave it out.`;
    return [{ code: 'photo-dead', severity: 'warning', pointer, detail }];
  };

function notAsked(count: number): Finding[] {
  if (count === 0) return [];
  const detail = `${count} of the photos were not asked for: a check takes ${bounds.photos} photos and ${bounds.totalMs / 1_000} s at most.`;
  return [{ code: 'photos-unchecked', severity: 'hint', pointer: '/list', detail }];
}
