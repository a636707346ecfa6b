/** Takes samples the way of a real request, up to the document that the browser prints. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseAllowRule } from '../../../core/egress/allow-rules.ts';
import { createGuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { composePhotos } from '../compose-photos.ts';
import { gatherPhotos } from '../gather-photos.ts';
import type { Asset, Design } from '../layout/design.ts';
import { openPhotoCache } from '../photos/photo-cache.ts';
import { serveSamplePhotos } from './sample-photos.ts';
import { readSample, type Sample } from './samples.ts';

export interface SampleDocument {
  html: string;
  assets: ReadonlyMap<string, Asset>;
}

export interface SampleRoom {
  /** Read anew at each call: someone may be editing it. */
  sample(name: string): Promise<Sample>;
  documentOf(sample: Sample, design: Design): Promise<SampleDocument>;
  close(): Promise<void>;
}

/** The photos come from a server of its own, the cut ones go to a folder that is deleted at the end. */
export async function openSampleRoom(): Promise<SampleRoom> {
  const photos = await serveSamplePhotos();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'brochure-samples-'));
  const rule = parseAllowRule(new URL(photos.origin).host);
  const fetcher = createGuardedFetch({ allow: rule ? [rule] : [] });
  const source = { fetcher, cache: openPhotoCache(folder) };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  return {
    sample: name => readSample(name, photos.origin),
    async documentOf({ request: { list } }, design) {
      const gathered = await gatherPhotos(list, design, source, context);
      const { prepared, assets } = await composePhotos(list, gathered.listings, design, source, context);
      return { html: design.html(prepared), assets: new Map([...design.assets, ...assets]) };
    },
    async close() {
      await fetcher.close();
      await photos.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
