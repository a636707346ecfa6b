/**
 * Measures the median time of one listing over HTTP on an idle service: PDF with new and with cached photos, the repeated
 * request (same bytes), previews, PDF with `quality: print`. Baseline: the bare browser prints the same prepared page.
 */
import path from 'node:path';
import { readConfig } from '../core/runtime/config.ts';
import type { Listing } from '../workers/pdf/listing.ts';
import { BrowserConfig, findBrowser } from '../workers/pdf/print/find-browser.ts';
import { openBareBrowser } from './support/bare-browser.ts';
import { listingsFor } from './support/listings.ts';
import { median } from './support/measure.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { preparePages } from './support/prepared-pages.ts';
import { figure } from './support/results.ts';
import { startBenchService } from './support/service.ts';

const warmUps = 5;
const rounds = 25;

const photoHost = await startPhotoHost();
const service = await startBenchService({ EGRESS_ALLOW: new URL(photoHost.origin).host });
const found = await findBrowser(readConfig(BrowserConfig), {
  cacheFolder: path.join(service.dataFolder, 'browser'),
});
const bare = await openBareBrowser(found);
const times = new Map<string, number[]>();
const sizes = new Map<string, number[]>();

async function timed(name: string, round: number, make: () => Promise<Buffer>): Promise<Buffer> {
  const startedAt = performance.now();
  const output = await make();
  if (round >= 0) {
    times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
    sizes.set(name, [...(sizes.get(name) ?? []), output.length]);
  }
  return output;
}

async function ask(operation: string, list: readonly Listing[], accept: string, options = {}): Promise<Buffer> {
  const response = await fetch(`${service.url}/apps/portal/v1/${operation}`, {
    method: 'POST',
    headers: { ...service.headers, accept },
    body: JSON.stringify({ list, ...options }),
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status} ${body}`);
  return body;
}

const pdf = (list: readonly Listing[], options = {}) => ask('pdf-new', list, 'application/pdf', options);

async function measureRound(round: number): Promise<void> {
  const listings = (words: string) => listingsFor(`${words}-${round}`, 1, photoHost.origin, String(round));
  await timed('PDF, photos new', round, () => pdf(listings('new')));
  const cached = listings('cached');
  const first = await timed('PDF, photos cached', round, () => pdf(cached));
  const repeated = await timed('PDF, repeated request', round, () => pdf(cached));
  if (!repeated.equals(first)) throw new Error('the repeated request returned different bytes');
  for (const format of ['PNG', 'JPEG']) {
    const preview = () => ask('pdf/preview', listings('preview'), `image/${format.toLowerCase()}`);
    await timed(`preview as ${format}, photos cached`, round, preview);
  }
  const forPrint = (words: string) => listingsFor(`${words}-${round}`, 1, photoHost.origin, `print-${round}`);
  await timed('PDF for print, photos new', round, () => pdf(forPrint('new'), { quality: 'print' }));
  await timed('PDF for print, photos cached', round, () => pdf(forPrint('cached'), { quality: 'print' }));
  const pages = await preparePages([cached], service.dataFolder, photoHost.origin);
  await timed('bare browser', round, async () => {
    await bare.print(pages);
    return Buffer.alloc(0);
  });
}

const goals: Record<string, string> = {
  'PDF, photos new': '1.6 of the browser',
  'PDF, photos cached': '120 ms',
  'PDF, repeated request': '15 ms',
  'preview as JPEG, photos cached': '1.5 of the browser',
};

try {
  for (let round = -warmUps; round < rounds; round++) await measureRound(round);
  const baseline = median(times.get('bare browser') ?? []);
  for (const [name, each] of times) {
    const ms = median(each);
    figure(name, ms, 'ms', { baseline, ...(goals[name] && { goal: goals[name] }) });
    const bytes = median(sizes.get(name) ?? []);
    if (bytes > 0) figure(`${name}: size`, bytes / 1_000, 'KB');
  }
} finally {
  await bare.close();
  await service.stop();
  await photoHost.close();
}
