/** The sample requests in templates/pdf/samples/, and their documents, made as those of a real request. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { z } from 'zod';
import { parseAllowRule } from '../../../core/egress/allow-rules.ts';
import { createGuardedFetch } from '../../../core/egress/guarded-fetch.ts';
import { composeDocument } from '../compose-document.ts';
import { Cover, PageLanguage } from '../contract.ts';
import type { Asset, Design } from '../layout/design.ts';
import { ListingList } from '../listing.ts';
import { openPhotoCache } from '../photos/photo-cache.ts';

const sampleFolder = fileURLToPath(new URL('../../../templates/pdf/samples/', import.meta.url));
const photoFolder = fileURLToPath(new URL('../../../sandbox/photos/', import.meta.url));

/** The origin of the photo URLs in the samples: the sandbox. */
const sandboxOrigin = 'http://127.0.0.1:9100';

const SampleRequest = z.object({
  ...ListingList.shape,
  cover: Cover,
  language: PageLanguage,
  brand: z.string().optional(),
});

export interface Sample {
  /** File name without ".json". */
  name: string;
  request: z.output<typeof SampleRequest>;
}

export interface SampleDocument {
  html: string;
  assets: ReadonlyMap<string, Asset>;
}

export type Samples = Awaited<ReturnType<typeof openSamples>>;

export async function sampleNames(): Promise<string[]> {
  const files = await readdir(sampleFolder);
  return files.flatMap(file => (file.endsWith('.json') ? path.basename(file, '.json') : [])).sort();
}

export async function openSamples() {
  const photos = await servePhotos();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'brochure-samples-'));
  const rule = parseAllowRule(new URL(photos.origin).host);
  const fetcher = createGuardedFetch({ allow: rule ? [rule] : [] });
  const source = { fetcher, cache: openPhotoCache(folder) };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  return {
    source,
    /** Reads the file at each call, because it may have been edited. */
    async read(name: string): Promise<Sample> {
      const text = await readFile(path.join(sampleFolder, `${name}.json`), 'utf8');
      const request = SampleRequest.parse(JSON.parse(text.replaceAll(sandboxOrigin, photos.origin)));
      return { name, request };
    },
    async documentOf({ request: { list } }: Sample, design: Design): Promise<SampleDocument> {
      const { document } = await composeDocument(list, design, source, context);
      return document;
    },
    /** Stops the photo server and deletes the cropped photos. */
    async close() {
      await fetcher.close();
      await photos.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function servePhotos() {
  return serveOnLoopback((request, response) => {
    const headers = { 'content-type': 'image/jpeg', 'cache-control': 'no-store' };
    photoAt(request.url ?? '').then(
      body => response.writeHead(200, headers).end(body),
      () => response.writeHead(404).end(),
    );
  });
}

/** /photos/07.jpg returns the file; /photos/07.jpg?size=2400x600 resizes it, for panoramas and tiny photos. */
async function photoAt(url: string): Promise<Buffer> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const photo = await readFile(path.join(photoFolder, path.basename(pathname)));
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(searchParams.get('size') ?? '') ?? [];
  if (width === undefined || height === undefined) return photo;
  return await sharp(photo).resize(Number(width), Number(height), { fit: 'cover' }).jpeg().toBuffer();
}

/** Serves HTTP on 127.0.0.1. @param port 0 for a free one */
export async function serveOnLoopback(listener: RequestListener, port = 0) {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    origin: `http://127.0.0.1:${boundPort}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
