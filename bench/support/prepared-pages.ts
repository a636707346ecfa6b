/** Prepares the pages of requests as the worker does, with the service's photo cache, for the baselines. */
import path from 'node:path';
import { parseAllowRule } from '../../core/egress/allow-rules.ts';
import { createGuardedFetch } from '../../core/egress/guarded-fetch.ts';
import { composeDocument } from '../../workers/pdf/compose-document.ts';
import type { Asset } from '../../workers/pdf/layout/design.ts';
import { loadDesigns } from '../../workers/pdf/layout/designs.ts';
import type { Listing } from '../../workers/pdf/listing.ts';
import { openPhotoCache } from '../../workers/pdf/photos/photo-cache.ts';

export interface PreparedPages {
  html: string;
  /** Photos and fonts by their URLs in `html`. */
  assets: ReadonlyMap<string, Asset>;
}

/** @param photoHost origin of the listings' photos */
export async function preparePages(
  requests: readonly (readonly Listing[])[],
  dataFolder: string,
  photoHost: string,
): Promise<PreparedPages[]> {
  const design = (await loadDesigns()).new;
  const allow = [parseAllowRule(new URL(photoHost).host) ?? []].flat();
  const source = {
    fetcher: createGuardedFetch({ allow }),
    cache: openPhotoCache(path.join(dataFolder, 'photos')),
  };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const pages: PreparedPages[] = [];
  for (const list of requests) {
    const { document } = await composeDocument(list, design, source, context);
    pages.push(document);
  }
  await source.fetcher.close();
  return pages;
}
