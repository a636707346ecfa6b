/** Gets the photos of a job, many at a time: what cannot be had is told, never thrown. */
import { EgressRefused } from '../../../core/egress/egress-refused.ts';
import { mapConcurrent } from '../../../core/runtime/map-concurrent.ts';
import { type TimeBound, timeBound } from '../../../core/runtime/timeout.ts';
import { photosGot } from '../../../core/telemetry/meter.ts';
import { fetchPhoto, type PhotoSource } from './fetch-photo.ts';
import { PhotoUnusable } from './look-at-photo.ts';
import type { KeptPhoto } from './photo-file.ts';

export interface HadPhoto extends KeptPhoto {
  ok: true;
  url: string;
}

export interface MissingPhoto {
  ok: false;
  url: string;
  /** A public clause without a full stop: "the server answered 404". */
  reason: string;
  /** Whether the same URL may give the photo a little later. */
  passing: boolean;
}

export type FetchedPhoto = HadPhoto | MissingPhoto;

export interface StageOptions {
  signal: AbortSignal;
  onProgress?(done: number, total: number): void;
}

/** Bounds of the whole stage; a job of 200 listings has about 2,000 photos. */
export interface StageBounds {
  parallel: number;
  /** Browsers open six connections a host: what servers are used to. */
  parallelPerHost: number;
  timeoutMs: number;
  maxBytes: number;
  /** So many photos in a row that a host did not answer for, and the rest of it is given up. */
  failuresPerHost: number;
}

const stageBounds: StageBounds = {
  parallel: 8,
  parallelPerHost: 6,
  timeoutMs: 120_000,
  maxBytes: 1_000_000_000,
  failuresPerHost: 6,
};

/**
 * Fetches every URL once, however often it is listed.
 * @returns one answer for each URL, in the order given
 * @throws the signal's reason when aborted; errors of the disk
 */
export async function fetchPhotos(
  urls: readonly string[],
  source: PhotoSource,
  options: StageOptions,
  bounds: StageBounds = stageBounds,
): Promise<FetchedPhoto[]> {
  const { signal, onProgress } = options;
  const distinct = [...new Set(urls)];
  const time = timeBound(bounds.timeoutMs, signal);
  const fetchOne = fetcherWithin(bounds, time, source);
  const perKey = { limit: bounds.parallelPerHost, keyOf: hostOf };
  try {
    const limits = { limit: bounds.parallel, perKey, signal, onProgress };
    const fetched = await mapConcurrent(distinct, limits, async url => {
      const photo = await fetchOne(url);
      signal.throwIfAborted();
      if (!photo.ok) photosGot.inc({ source: 'missing' });
      return photo;
    });
    const byUrl = new Map(fetched.map(photo => [photo.url, photo]));
    return urls.flatMap(url => byUrl.get(url) ?? []);
  } finally {
    time.release();
  }
}

/** Fetches one photo after another's; when the stage has used up its time, bytes or patience, the rest is told missing. */
function fetcherWithin(bounds: StageBounds, time: TimeBound, source: PhotoSource) {
  const silences = new Map<string, number>();
  let bytes = 0;

  const tooLate = `the photos took longer than ${bounds.timeoutMs / 1_000} s together`;
  const exhausted = (host: string): string | undefined => {
    if (time.isOver()) return tooLate;
    if (bytes > bounds.maxBytes)
      return `the photos are larger than ${bounds.maxBytes / 1_000_000} MB together`;
    if ((silences.get(host) ?? 0) >= bounds.failuresPerHost)
      return 'its server did not answer for other photos';
    return undefined;
  };

  return async (url: string): Promise<FetchedPhoto> => {
    const host = hostOf(url);
    const reason = exhausted(host);
    if (reason !== undefined) return { ok: false, url, reason, passing: true };
    try {
      const { downloadedBytes, ...photo } = await fetchPhoto(url, source, time.signal);
      bytes += downloadedBytes;
      silences.delete(host);
      return { ok: true, url, ...photo };
    } catch (error) {
      if (time.isOver()) return { ok: false, url, reason: tooLate, passing: true };
      const missing = asMissing(url, error);
      if (isSilence(error)) silences.set(host, (silences.get(host) ?? 0) + 1);
      else silences.delete(host);
      return missing;
    }
  };
}

/** @throws what is no fault of the photo */
export function asMissing(url: string, error: unknown): MissingPhoto {
  if (error instanceof EgressRefused)
    return { ok: false, url, reason: error.message, passing: error.passing };
  if (error instanceof PhotoUnusable) return { ok: false, url, reason: error.message, passing: false };
  throw error;
}

function isSilence(error: unknown): boolean {
  return error instanceof EgressRefused && (error.reason === 'timeout' || error.reason === 'unreachable');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
