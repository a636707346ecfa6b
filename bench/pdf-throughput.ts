/// <reference lib="dom" />
/**
 * Brochures through the whole service (HTTP in, PDF out) against the bare browser printing the same prepared pages, in
 * turns in one run. 20 listings a request, photos cached, new design; goal: at least 0.8 of the bare browser.
 */
import path from 'node:path';
import { chromium, type Page } from 'playwright';
import { readConfig } from '../core/config.ts';
import { createGuardedFetch } from '../core/egress/guarded-fetch.ts';
import { sandboxRules } from '../core/egress/sandbox-rules.ts';
import { composePhotos } from '../workers/pdf/compose-photos.ts';
import { gatherPhotos } from '../workers/pdf/gather-photos.ts';
import type { Asset } from '../workers/pdf/layout/design.ts';
import { loadDesigns } from '../workers/pdf/layout/load-designs.ts';
import { openPhotoCache } from '../workers/pdf/photos/photo-cache.ts';
import { BrowserConfig } from '../workers/pdf/print/config.ts';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { listingsFor } from './support/listings.ts';
import { type BenchService, median, startBenchService } from './support/service.ts';

const listings = 20;
const requestsARound = 10;
const rounds = 5;
/** Requests under way at once: enough to keep both cores busy. */
const inFlight = 4;
/** What a bare browser does best on two cores: two reused pages. */
const barePages = 2;

interface Document {
  html: string;
  assets: ReadonlyMap<string, Asset>;
}

async function inTurns<T>(work: readonly T[], lanes: number, each: (item: T, lane: number) => Promise<void>) {
  const left = [...work];
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await each(item, lane);
    }),
  );
}

/** @returns PDFs a second */
async function throughService(service: BenchService, round: string): Promise<number> {
  const bodies = Array.from({ length: requestsARound }, (_, index) =>
    JSON.stringify({ list: listingsFor(`${round}-${index}`, listings, service.sandboxPort) }),
  );
  const begun = performance.now();
  await inTurns(bodies, inFlight, async body => {
    const answer = await fetch(`${service.url}/apps/portal/v1/pdf-new`, {
      method: 'POST',
      headers: { ...service.headers, accept: 'application/pdf' },
      body,
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  });
  return requestsARound / ((performance.now() - begun) / 1_000);
}

/** The pages as the worker prepares them, made with the service's own photo cache. */
async function prepare(service: BenchService, round: string): Promise<Document[]> {
  const design = (await loadDesigns()).new;
  const allow = sandboxRules({ NODE_ENV: 'development', SANDBOX_PORT: service.sandboxPort });
  const source = {
    fetcher: createGuardedFetch({ allow }),
    cache: openPhotoCache(path.join(service.dataFolder, 'photos')),
  };
  const context = { signal: new AbortController().signal, progress: () => undefined };
  const documents: Document[] = [];
  for (let index = 0; index < requestsARound; index++) {
    const list = listingsFor(`${round}-${index}`, listings, service.sandboxPort);
    const gathered = await gatherPhotos(list, design, source, context);
    const composed = await composePhotos(list, gathered.listings, design, source, context);
    documents.push({
      html: design.html(composed.prepared),
      assets: new Map([...design.assets, ...composed.assets]),
    });
  }
  await source.fetcher.close();
  return documents;
}

/** @returns PDFs a second */
async function throughBareBrowser(pages: readonly Page[], documents: readonly Document[]): Promise<number> {
  const begun = performance.now();
  await inTurns(documents, pages.length, async ({ html, assets }, lane) => {
    const page = pages[lane];
    if (!page) throw new Error('no page');
    await page.route('**/*', route => {
      const asset = assets.get(route.request().url());
      return asset
        ? route.fulfill({
            body: asset.body,
            contentType: asset.contentType,
            headers: { 'access-control-allow-origin': '*' },
          })
        : route.abort();
    });
    await page.setContent(html, { waitUntil: 'load' });
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true, outline: true });
    await page.unroute('**/*');
  });
  return documents.length / ((performance.now() - begun) / 1_000);
}

const service = await startBenchService();
const found = await findBrowser(readConfig(BrowserConfig), {
  cacheFolder: path.join(service.dataFolder, 'browser'),
});
const browser = await chromium.launch({
  executablePath: found.path,
  env: { ...found.env },
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const pages = await Promise.all(Array.from({ length: barePages }, () => browser.newPage()));
  await throughService(service, 'warm-up');
  await throughBareBrowser(pages, await prepare(service, 'warm-up'));
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const ours = await throughService(service, `round-${round}`);
    const documents = await prepare(service, `round-${round}`);
    const bare = await throughBareBrowser(pages, documents);
    ratios.push(ours / bare);
    process.stdout.write(
      `round ${round}: service ${(ours * listings).toFixed(1)} listings/s, bare browser ${(bare * listings).toFixed(1)}, ratio ${(ours / bare).toFixed(2)}\n`,
    );
  }
  process.stdout.write(`ratio (median): ${median(ratios).toFixed(2)}  goal 0.80\n`);
} finally {
  await browser.close();
  await service.stop();
}
