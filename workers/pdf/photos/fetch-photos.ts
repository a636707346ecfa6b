/** Fetches the photos of a job in parallel, from the cache or through the guarded fetcher, and reports those that fail. */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { EgressError } from '../../../core/egress/egress-error.ts';
import type { GuardedAnswer, GuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import type { Checkpoint } from '../../../core/jobs/handler.ts';
import { mapConcurrent } from '../../../core/runtime/map-concurrent.ts';
import { createTimeout, type Timeout } from '../../../core/runtime/timeout.ts';
import { photosTotal } from '../../../core/telemetry/meter.ts';
import { type DecodeWithin, decodeWithin } from './decode-memory.ts';
import { inspectPhoto } from './inspect-photo.ts';
import { watchLargePhotos } from './large-photos.ts';
import type { CachedPhoto, PhotoCache } from './photo-cache.ts';
import { PhotoUnusable } from './photo-unusable.ts';

export interface PhotoSource {
  fetcher: GuardedFetch;
  cache: PhotoCache;
  /** Default: none, so that each call counts for itself. */
  job?: ReturnType<typeof photosOfJob>;
}

export interface FetchedPhoto extends CachedPhoto {
  ok: true;
  url: string;
}

export interface MissingPhoto {
  ok: false;
  url: string;
  /** A public clause without a full stop: "the server answered 404". */
  reason: string;
  /** Whether a later fetch of the same URL may succeed. */
  transient: boolean;
}

export type PhotoResult = FetchedPhoto | MissingPhoto;

export interface StageOptions {
  signal: AbortSignal;
  onProgress?(done: number, total: number): void;
}

/** Limits of one photo. */
const photoLimits = {
  maxBytes: 25_000_000,
  /** The time limit of one attempt, from the DNS lookup to the last byte. */
  timeoutMs: 10_000,
  /** Before the second and last attempt, which follows transient failures only. */
  retryDelayMs: 250,
  /** Maximum time for which a URL is assumed to return the same photo; Cache-Control may shorten it. */
  freshMs: 10 * 60_000,
} as const;

/** Limits of all photos of a job; a job of 200 listings has about 2,000. */
const jobLimits = {
  parallel: 8,
  /** Browsers open six connections per host, so servers expect it. */
  parallelPerHost: 6,
  timeoutMs: 120_000,
  maxBytes: 1_000_000_000,
  /** After this many consecutive timeouts or connection failures, the host's other photos are not requested. */
  failuresPerHost: 6,
};
export type FetchLimits = typeof jobLimits;

/** What all fetches of one job share: those of spare photos, and of photos that are cropped again, too. */
const photosOfJob = (maxBytes: number, decodeOf: (url: string) => DecodeWithin) => ({
  maxBytes,
  /** By URL. */
  decodeWithin: decodeOf,
  /** Also of failed fetches. */
  receivedBytes: 0,
  /** Consecutive timeouts or connection failures, by host. */
  failures: new Map<string, number>(),
  /** Photos that could not be cropped, by URL. */
  unusable: new Map<string, MissingPhoto>(),
});

/**
 * @param checkpoint of the job; absent: a photo that kills workers is not found
 * @returns the source for the photos of one job
 */
export const sourceOfJob = (source: PhotoSource, checkpoint?: Checkpoint, { maxBytes }: FetchLimits = jobLimits) => ({
  ...source,
  job: photosOfJob(maxBytes, checkpoint ? watchLargePhotos(checkpoint) : () => decodeWithin),
});

/**
 * Fetches each distinct URL once.
 * @returns one result per URL, in the same order
 * @throws the signal's reason when aborted; disk errors
 */
export async function fetchPhotos(
  urls: readonly string[],
  source: PhotoSource,
  { signal, onProgress, maxFreshMs }: StageOptions & { maxFreshMs?: number },
  limits: FetchLimits = jobLimits,
): Promise<PhotoResult[]> {
  const time = createTimeout(limits.timeoutMs, signal);
  const { job = sourceOfJob(source, undefined, limits).job } = source;
  const fetchOne = fetcherWithin(limits, time, { ...source, job }, maxFreshMs);
  const perKey = { limit: limits.parallelPerHost, keyOf: hostOf };
  const options = { limit: limits.parallel, perKey, signal, onProgress };
  try {
    const results = await mapConcurrent(new Set(urls), options, async url => {
      const photo = await fetchOne(url);
      signal.throwIfAborted();
      if (!photo.ok) photosTotal.inc({ source: 'missing' });
      return photo;
    });
    const byUrl = new Map(results.map(photo => [photo.url, photo]));
    return urls.flatMap(url => byUrl.get(url) ?? []);
  } finally {
    time.clear();
  }
}

/**
 * Downloads one photo, checks it by its bytes and stores it in the cache, whether or not the cache has it.
 * @throws EgressError or PhotoUnusable when it fails; the signal's reason when aborted
 */
export async function downloadPhoto(
  url: string,
  source: PhotoSource,
  signal: AbortSignal,
  maxFreshMs?: number,
): Promise<CachedPhoto> {
  const { bytes, headers } = await download(url, source, signal);
  const shape = await inspectPhoto(bytes, source.job?.decodeWithin(url));
  const cached = await source.cache.store(url, bytes, shape, freshMs(headers, maxFreshMs));
  photosTotal.inc({ source: 'fetched' });
  return cached;
}

/** @throws every error that is not about the photo itself */
export function toMissingPhoto(url: string, error: unknown): MissingPhoto {
  if (error instanceof EgressError) return { ok: false, url, reason: error.message, transient: error.transient };
  if (error instanceof PhotoUnusable) return { ok: false, url, reason: error.message, transient: false };
  throw error;
}

/** Respects `no-store`, `no-cache` and a short `max-age`. A long one is shortened, so that a changed photo appears soon. */
export function freshMs(headers: IncomingHttpHeaders, maxFreshMs: number = photoLimits.freshMs): number {
  const control = headers['cache-control'] ?? '';
  if (/\bno-(store|cache)\b/i.test(control)) return 0;
  const maxAge = Number(/\bmax-age="?(\d+)/i.exec(control)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(maxAge * 1_000, maxFreshMs);
}

/** @returns a function that fetches one photo, or reports it as missing once a limit of the job is reached */
function fetcherWithin(limits: FetchLimits, time: Timeout, source: Required<PhotoSource>, maxFreshMs?: number) {
  const { failures, unusable } = source.job;

  return async (url: string): Promise<PhotoResult> => {
    const host = hostOf(url);
    const missing = (reason: string) => ({ ok: false, url, reason, transient: true }) as const;
    const tooLate = `the photos took longer than ${limits.timeoutMs / 1_000} s together`;
    if (time.hasExpired()) return missing(tooLate);
    const known = unusable.get(url);
    if (known) return known;
    if ((failures.get(host) ?? 0) >= limits.failuresPerHost)
      return missing('its server did not answer for other photos');
    try {
      const photo = await fetchPhoto(url, source, time.signal, maxFreshMs);
      failures.delete(host);
      return { ok: true, url, ...photo };
    } catch (error) {
      if (time.hasExpired()) return missing(tooLate);
      const result = toMissingPhoto(url, error);
      if (isHostFailure(error)) failures.set(host, (failures.get(host) ?? 0) + 1);
      else failures.delete(host);
      return result;
    }
  };
}

async function fetchPhoto(url: string, source: PhotoSource, signal: AbortSignal, maxFreshMs?: number) {
  const cached = await source.cache.findFresh(url);
  if (!cached) return await downloadPhoto(url, source, signal, maxFreshMs);
  photosTotal.inc({ source: 'cache' });
  return cached;
}

async function download(url: string, { fetcher, job }: PhotoSource, signal: AbortSignal): Promise<GuardedAnswer> {
  const { maxBytes, timeoutMs } = photoLimits;
  // Prefers JPEG: it can be decoded at a reduced size, in a fifth of the time of the other formats.
  const headers = { accept: 'image/jpeg,image/png;q=0.9,image/webp;q=0.8,*/*;q=0.5' };
  const onBytes = (count: number) => {
    if (job) job.receivedBytes += count;
  };
  const request = { maxBytes, timeoutMs, headers, signal, onBytes };
  if (job && job.receivedBytes > job.maxBytes)
    throw new EgressError('too-large', `the photos are larger than ${job.maxBytes / 1_000_000} MB together`);
  try {
    return await fetcher.fetch(url, request);
  } catch (error) {
    if (!(error instanceof EgressError) || !error.transient) throw error;
    await wait(photoLimits.retryDelayMs, undefined, { signal });
    return await fetcher.fetch(url, request);
  }
}

const isHostFailure = (error: unknown): boolean =>
  error instanceof EgressError && (error.reason === 'timeout' || error.reason === 'unreachable');

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');
