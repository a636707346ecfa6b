/**
 * Measures brochures through the whole service (HTTP in, PDF out), 20 listings per request. Baselines, alternating in the
 * same run: the bare browser, puppeteer-cluster and jsreport print the same prepared pages; @react-pdf/renderer prints
 * equivalent pages; sharp resizes the same number of photos (for new photos). Every listing has photos of its own.
 * Goals: cached photos at least 20 listings/s, 0.8 of the bare browser and twice the best peer; new photos at least 8
 * listings/s. `-- no-peers` omits the peers.
 */
import path from 'node:path';
import { readConfig } from '../core/runtime/config.ts';
import { BrowserConfig, findBrowser } from '../workers/pdf/print/find-browser.ts';
import { startAssetHost } from './support/asset-host.ts';
import { openBareBrowser } from './support/bare-browser.ts';
import { openBareResizing } from './support/bare-resizing.ts';
import { cpuTime } from './support/cpu-time.ts';
import { listingsFor } from './support/listings.ts';
import { itemsPerSecond, median } from './support/measure.ts';
import { installPeers, openPeer, type Peer } from './support/peer.ts';
import { peerListings } from './support/peer-listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { preparePages } from './support/prepared-pages.ts';
import { requestPdf } from './support/request-pdf.ts';
import { figure } from './support/results.ts';
import { type BenchService, startBenchService } from './support/service.ts';

const listings = 20;
const requestsPerRound = 6;
/** The same photos in other listings; more requests, so that the fast case also runs for some seconds. */
const cachedRequestsPerRound = 3 * requestsPerRound;
const rounds = 3;
/** Concurrent requests: enough to keep both cores busy. */
const concurrency = 4;

const withPeers = !process.argv.includes('no-peers');
const photoHost = await startPhotoHost();
const assetHost = await startAssetHost();
const service = await startBenchService({
  EGRESS_ALLOW: new URL(photoHost.origin).host,
  MAX_WAIT_SECONDS: '600',
});
const found = await findBrowser(readConfig(BrowserConfig), {
  cacheFolder: path.join(service.dataFolder, 'browser'),
});
const bare = await openBareBrowser(found);
const resizing = await openBareResizing();
const peers: Peer[] = [];
const rates = new Map<string, number[]>();
const cpuTimes = new Map<string, number[]>();

/** Records listings per second, and CPU time per listing, which other load on the machine affects less. */
async function measure(name: string, requests: number, print: () => Promise<number>): Promise<void> {
  const before = cpuTime(service.dataFolder);
  const rate = (await print()) * listings;
  const cpu = (cpuTime(service.dataFolder) - before) / (requests * listings);
  rates.set(name, [...(rates.get(name) ?? []), rate]);
  cpuTimes.set(name, [...(cpuTimes.get(name) ?? []), cpu]);
  process.stdout.write(`  ${name} ${rate.toFixed(1)} (${cpu.toFixed(0)} ms CPU each)`);
}

/** @returns PDFs per second */
const throughService = ({ url, headers }: BenchService, requests: readonly object[]): Promise<number> =>
  itemsPerSecond(requests, concurrency, list => requestPdf(`${url}/apps/portal/v1/pdf-new`, headers, { list }));

async function round(number: number): Promise<void> {
  const requests = (words: string, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const photos = `${number}-${index % requestsPerRound}`;
      return listingsFor(`${words}-${number}-${index}`, listings, photoHost.origin, photos);
    });
  await measure('service, photos new', requestsPerRound, () =>
    throughService(service, requests('new', requestsPerRound)),
  );
  const cached = requests('cached', cachedRequestsPerRound);
  await measure('service, photos cached', cached.length, () => throughService(service, cached));
  const pages = await preparePages(cached, service.dataFolder, photoHost.origin);
  await measure('bare browser', pages.length, () => bare.print(pages));
  await measure(
    'bare resizing',
    requestsPerRound,
    async () => (await resizing.resize(requestsPerRound * listings)) / listings,
  );
  if (!withPeers) return;
  const documents = pages.map(each => ({ html: assetHost.serve(each) }));
  const folder = path.join(service.dataFolder, 'peer-photos');
  const equivalent = await Promise.all(
    pages.map(async (each, index) => ({
      listings: await peerListings(each, path.join(folder, String(index))),
    })),
  );
  for (const peer of peers)
    await measure(peer.name, pages.length, () => peer.print(peer.name === 'react-pdf' ? equivalent : documents));
}

try {
  if (withPeers) {
    installPeers();
    peers.push(
      await openPeer('puppeteer-cluster', found, { processes: 1, concurrency: 2 }),
      await openPeer('jsreport', found, { processes: 1, concurrency: 2 }),
      await openPeer('react-pdf', found, { processes: 2, concurrency: 1 }),
    );
  }
  for (let number = 0; number <= rounds; number++) {
    process.stdout.write(number === 0 ? 'warm-up (listings/s):' : `round ${number}:`);
    await round(number);
    process.stdout.write('\n');
    if (number > 0) continue;
    rates.clear();
    cpuTimes.clear();
  }
  const cached = 'service, photos cached';
  const fresh = 'service, photos new';
  const ratioTo = (ours: string, name: string, of: ReadonlyMap<string, number[]>) =>
    median((of.get(ours) ?? []).map((value, at) => value / (of.get(name)?.[at] ?? Number.NaN)));
  const report = (ours: string, name: string, goal: string) => {
    const rate = median(rates.get(ours) ?? []);
    const cpu = median(cpuTimes.get(ours) ?? []);
    figure(`${ours}; of ${name}`, rate, 'listings/s', { baseline: rate / ratioTo(ours, name, rates), goal });
    figure(`${ours}: CPU; of ${name}`, cpu, 'ms', { baseline: cpu / ratioTo(ours, name, cpuTimes) });
  };
  report(fresh, 'bare resizing', '0.75');
  report(cached, 'bare browser', '0.8');
  for (const { name } of peers) report(cached, name, '2');
} finally {
  await Promise.all(peers.map(peer => peer.close()));
  await bare.close();
  await service.stop();
  await assetHost.close();
  await photoHost.close();
}
