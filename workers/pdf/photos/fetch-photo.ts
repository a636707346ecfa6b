/** Gets one photo: from the cache while it is fresh, else over the guarded fetcher, checked by its bytes and kept. */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { EgressRefused } from '../../../core/egress/egress-refused.ts';
import type { GuardedAnswer, GuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { photosGot } from '../../../core/telemetry/meter.ts';
import { lookAtPhoto } from './look-at-photo.ts';
import type { PhotoCache } from './photo-cache.ts';
import type { KeptPhoto } from './photo-file.ts';

/** Where photos come from and where they are kept. */
export interface PhotoSource {
  fetcher: GuardedFetch;
  cache: PhotoCache;
}

const photoBounds = {
  maxBytes: 25_000_000,
  /** One try, from look-up to last byte. */
  timeoutMs: 10_000,
  /** Before the second and last try, made only for failures that may pass. */
  retryDelayMs: 250,
  /** How long at most a URL is taken to still give the same photo; its Cache-Control may say less. */
  freshMs: 10 * 60_000,
} as const;

/**
 * @returns the photo, and how many bytes came over the network for it
 * @throws EgressRefused or PhotoUnusable when it cannot be had; the signal's reason when aborted
 */
export async function fetchPhoto(
  url: string,
  source: PhotoSource,
  signal: AbortSignal,
): Promise<KeptPhoto & { downloadedBytes: number }> {
  const fresh = await source.cache.fresh(url);
  if (fresh) {
    photosGot.inc({ source: 'cache' });
    return { ...fresh, downloadedBytes: 0 };
  }
  return await downloadPhoto(url, source, signal);
}

/**
 * As `fetchPhoto`, whatever is in the cache.
 * @throws as `fetchPhoto` does
 */
export async function downloadPhoto(
  url: string,
  { fetcher, cache }: PhotoSource,
  signal: AbortSignal,
): Promise<KeptPhoto & { downloadedBytes: number }> {
  const { bytes, headers } = await download(url, fetcher, signal);
  const shape = await lookAtPhoto(bytes);
  const kept = await cache.keep(url, bytes, shape, freshMs(headers));
  photosGot.inc({ source: 'fetched' });
  return { ...kept, downloadedBytes: bytes.length };
}

async function download(url: string, fetcher: GuardedFetch, signal: AbortSignal): Promise<GuardedAnswer> {
  const request = {
    maxBytes: photoBounds.maxBytes,
    timeoutMs: photoBounds.timeoutMs,
    // Servers that can choose shall send JPEG: it is decoded small, in a fifth of the time of the others.
    headers: { accept: 'image/jpeg,image/png;q=0.9,image/webp;q=0.8,*/*;q=0.5' },
    signal,
  };
  try {
    return await fetcher.fetch(url, request);
  } catch (error) {
    if (!(error instanceof EgressRefused) || !error.passing) throw error;
    await wait(photoBounds.retryDelayMs, undefined, { signal });
    return await fetcher.fetch(url, request);
  }
}

/** `no-store`, `no-cache` and a short `max-age` are honoured; a long one is not, so that a changed photo shows soon. */
export function freshMs(headers: IncomingHttpHeaders): number {
  const control = headers['cache-control'] ?? '';
  if (/\bno-(store|cache)\b/i.test(control)) return 0;
  const maxAge = /\bmax-age="?(\d+)/i.exec(control)?.[1];
  return Math.min(
    maxAge === undefined ? Number.POSITIVE_INFINITY : Number(maxAge) * 1_000,
    photoBounds.freshMs,
  );
}
