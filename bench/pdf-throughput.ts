/**
 * Brochures through the whole service (HTTP in, PDF out), 20 listings a request, beside others that print the same
 * prepared pages, in turns in one run: the bare browser, puppeteer-cluster, jsreport; @react-pdf/renderer making pages
 * like them; and, for photos that are new, the photo library cutting as many. Every listing has photos that no other has.
 * Goals: photos cached at least 20 listings/s, 0.8 of the bare browser and twice the best peer; photos new at least 8
 * listings/s. `-- no-peers` leaves the peers out.
 */
import path from 'node:path';
import { readConfig } from '../core/runtime/config.ts';
import { BrowserConfig } from '../workers/pdf/print/config.ts';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { askForPdf } from './support/ask-for-pdf.ts';
import { startAssetHost } from './support/asset-host.ts';
import { openBareBrowser } from './support/bare-browser.ts';
import { openBareCutting } from './support/bare-cutting.ts';
import { cpuTime } from './support/cpu-time.ts';
import { perSecond } from './support/in-turns.ts';
import { listingsFor } from './support/listings.ts';
import { installPeers, openPeer, type Peer } from './support/peer.ts';
import { peerListings } from './support/peer-listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { preparePages } from './support/prepared-pages.ts';
import { type BenchService, median, startBenchService } from './support/service.ts';

const listings = 20;
const requestsARound = 6;
/** The same photos again in other listings: what is fast, too, is measured over some seconds. */
const cachedRequestsARound = 3 * requestsARound;
const rounds = 3;
/** Requests under way at once: enough to keep both cores busy. */
const inFlight = 4;

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
const cutting = await openBareCutting();
const peers: Peer[] = [];
const rates = new Map<string, number[]>();
const cpuTimes = new Map<string, number[]>();

/** Listings a second by the clock, and CPU time a listing: the second stands also on a machine that has more to do. */
async function tell(name: string, requests: number, print: () => Promise<number>): Promise<void> {
  const before = cpuTime(service.dataFolder);
  const rate = (await print()) * listings;
  const cpu = (cpuTime(service.dataFolder) - before) / (requests * listings);
  rates.set(name, [...(rates.get(name) ?? []), rate]);
  cpuTimes.set(name, [...(cpuTimes.get(name) ?? []), cpu]);
  process.stdout.write(`  ${name} ${rate.toFixed(1)} (${cpu.toFixed(0)} ms CPU each)`);
}

/** @returns PDFs a second */
const throughService = ({ url, headers }: BenchService, requests: readonly object[]): Promise<number> =>
  perSecond(requests, inFlight, list => askForPdf(`${url}/apps/portal/v1/pdf-new`, headers, { list }));

async function round(number: number): Promise<void> {
  const requests = (words: string, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const photos = `${number}-${index % requestsARound}`;
      return listingsFor(`${words}-${number}-${index}`, listings, photoHost.origin, photos);
    });
  await tell('service, photos new', requestsARound, () =>
    throughService(service, requests('new', requestsARound)),
  );
  const cached = requests('cached', cachedRequestsARound);
  await tell('service, photos cached', cached.length, () => throughService(service, cached));
  const pages = await preparePages(cached, service.dataFolder, photoHost.origin);
  await tell('bare browser', pages.length, () => bare.print(pages));
  await tell(
    'bare cutting',
    requestsARound,
    async () => (await cutting.cut(requestsARound * listings)) / listings,
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
    await tell(peer.name, pages.length, () => peer.print(peer.name === 'react-pdf' ? equivalent : documents));
}

try {
  if (withPeers) {
    installPeers();
    peers.push(
      await openPeer('puppeteer-cluster', found, { processes: 1, atOnce: 2 }),
      await openPeer('jsreport', found, { processes: 1, atOnce: 2 }),
      await openPeer('react-pdf', found, { processes: 2, atOnce: 1 }),
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
  const against = (ours: string, name: string, of: ReadonlyMap<string, number[]>) =>
    median((of.get(ours) ?? []).map((value, at) => value / (of.get(name)?.[at] ?? Number.NaN)));
  const report = (ours: string, name: string, goal: string) =>
    process.stdout.write(
      `${ours}, ratio to ${name}: ${against(ours, name, rates).toFixed(2)} of its listings/s, goal ${goal}; ${against(ours, name, cpuTimes).toFixed(2)} of its CPU time\n`,
    );
  process.stdout.write(
    `photos new: ${median(rates.get(fresh) ?? []).toFixed(1)} listings/s, goal 8\n` +
      `photos cached: ${median(rates.get(cached) ?? []).toFixed(1)} listings/s, goal 20\n`,
  );
  report(fresh, 'bare cutting', 'none');
  report(cached, 'bare browser', '0.80');
  for (const { name } of peers) report(cached, name, '2.00');
} finally {
  await Promise.all(peers.map(peer => peer.close()));
  await bare.close();
  await service.stop();
  await assetHost.close();
  await photoHost.close();
}
