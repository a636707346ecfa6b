/**
 * How long one listing takes over HTTP on an idle service, at the median: PDF with photos new and cached, the identical
 * request again (same bytes), a preview; beside the bare browser printing the same prepared page. Goals: new 270 ms,
 * cached 120 ms, again 15 ms, preview 400 ms.
 */
import path from 'node:path';
import { readConfig } from '../core/runtime/config.ts';
import type { Listing } from '../workers/pdf/listing.ts';
import { BrowserConfig } from '../workers/pdf/print/config.ts';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { openBareBrowser } from './support/bare-browser.ts';
import { listingsFor } from './support/listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { preparePages } from './support/prepared-pages.ts';
import { median, startBenchService } from './support/service.ts';

const warmUps = 5;
const turns = 25;

const photoHost = await startPhotoHost();
const service = await startBenchService({ EGRESS_ALLOW: new URL(photoHost.origin).host });
const found = await findBrowser(readConfig(BrowserConfig), {
  cacheFolder: path.join(service.dataFolder, 'browser'),
});
const bare = await openBareBrowser(found);
const times = new Map<string, number[]>();

async function timed(name: string, turn: number, make: () => Promise<Buffer>): Promise<Buffer> {
  const begun = performance.now();
  const made = await make();
  if (turn >= 0) times.set(name, [...(times.get(name) ?? []), performance.now() - begun]);
  return made;
}

async function ask(operation: string, list: readonly Listing[], accept: string): Promise<Buffer> {
  const answer = await fetch(`${service.url}/apps/portal/v1/${operation}`, {
    method: 'POST',
    headers: { ...service.headers, accept },
    body: JSON.stringify({ list }),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${answer.status} ${body}`);
  return body;
}

const pdf = (list: readonly Listing[]) => ask('pdf-new', list, 'application/pdf');

async function take(turn: number): Promise<void> {
  const listings = (words: string) => listingsFor(`${words}-${turn}`, 1, photoHost.origin, String(turn));
  await timed('PDF, photos new', turn, () => pdf(listings('new')));
  const cached = listings('cached');
  const first = await timed('PDF, photos cached', turn, () => pdf(cached));
  const again = await timed('PDF, the same again', turn, () => pdf(cached));
  if (!again.equals(first)) throw new Error('the same request gave other bytes');
  await timed('preview, photos cached', turn, () => ask('pdf/preview', listings('preview'), 'image/png'));
  const pages = await preparePages([cached], service.dataFolder, photoHost.origin);
  await timed('bare browser', turn, async () => {
    await bare.print(pages);
    return Buffer.alloc(0);
  });
}

const goals: Record<string, string> = {
  'PDF, photos new': 'goal 270',
  'PDF, photos cached': 'goal 120',
  'PDF, the same again': 'goal 15',
  'preview, photos cached': 'goal 400',
  'bare browser': 'for comparison',
};

try {
  for (let turn = -warmUps; turn < turns; turn++) await take(turn);
  const compared = median(times.get('bare browser') ?? []);
  for (const [name, each] of times) {
    const ms = median(each);
    process.stdout.write(
      `${name}: ${ms.toFixed(0)} ms (${goals[name]}), ${(ms / compared).toFixed(2)} of the bare browser\n`,
    );
  }
} finally {
  await bare.close();
  await service.stop();
  await photoHost.close();
}
