/**
 * Brochures through the whole service (HTTP in, PDF out), 20 listings a request, beside others that print the same
 * prepared pages, in turns in one run: the bare browser, puppeteer-cluster, jsreport; and @react-pdf/renderer making
 * pages like them. Every listing has photos that no other has. Goals: photos cached at least 20 listings/s, 0.8 of the
 * bare browser and twice the best peer; photos new at least 8 listings/s. `-- no-peers` leaves the peers out.
 */
import path from 'node:path';
import { readConfig } from '../core/config.ts';
import { BrowserConfig } from '../workers/pdf/print/config.ts';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { startAssetHost } from './support/asset-host.ts';
import { openBareBrowser } from './support/bare-browser.ts';
import { perSecond } from './support/in-turns.ts';
import { listingsFor } from './support/listings.ts';
import { installPeers, openPeer, type Peer } from './support/peer.ts';
import { peerListings } from './support/peer-listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { preparePages } from './support/prepared-pages.ts';
import { type BenchService, median, startBenchService } from './support/service.ts';

const listings = 20;
const requestsARound = 6;
const rounds = 4;
/** Requests under way at once: enough to keep both cores busy. */
const inFlight = 4;

const withPeers = !process.argv.includes('no-peers');
const photoHost = await startPhotoHost();
const assetHost = await startAssetHost();
const service = await startBenchService({ EGRESS_ALLOW: new URL(photoHost.origin).host });
const found = await findBrowser(readConfig(BrowserConfig), {
  cacheFolder: path.join(service.dataFolder, 'browser'),
});
const bare = await openBareBrowser(found);
const peers: Peer[] = [];
const rates = new Map<string, number[]>();

function tell(name: string, documentsPerSecond: number): void {
  const rate = documentsPerSecond * listings;
  rates.set(name, [...(rates.get(name) ?? []), rate]);
  process.stdout.write(`  ${name} ${rate.toFixed(1)}`);
}

/** @returns PDFs a second */
const throughService = ({ url, headers }: BenchService, requests: readonly object[]): Promise<number> =>
  perSecond(requests, inFlight, async list => {
    const answer = await fetch(`${url}/apps/portal/v1/pdf-new`, {
      method: 'POST',
      headers: { ...headers, accept: 'application/pdf' },
      body: JSON.stringify({ list }),
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  });

async function round(number: number): Promise<void> {
  const requests = (words: string) =>
    Array.from({ length: requestsARound }, (_, index) =>
      listingsFor(`${words}-${number}-${index}`, listings, photoHost.origin, `${number}-${index}`),
    );
  tell('service, photos new', await throughService(service, requests('new')));
  const cached = requests('cached');
  tell('service, photos cached', await throughService(service, cached));
  const pages = await preparePages(cached, service.dataFolder, photoHost.origin);
  tell('bare browser', await bare.print(pages));
  if (!withPeers) return;
  const documents = pages.map(each => ({ html: assetHost.serve(each) }));
  const folder = path.join(service.dataFolder, 'peer-photos');
  const equivalent = await Promise.all(
    pages.map(async (each, index) => ({
      listings: await peerListings(cached[index] ?? [], each, path.join(folder, String(index))),
    })),
  );
  for (const peer of peers)
    tell(peer.name, await peer.print(peer.name === 'react-pdf' ? equivalent : documents));
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
    if (number === 0) rates.clear();
  }
  const ours = rates.get('service, photos cached') ?? [];
  const against = (name: string) =>
    median(ours.map((rate, at) => rate / (rates.get(name)?.[at] ?? Number.NaN)));
  process.stdout.write(
    `photos new: ${median(rates.get('service, photos new') ?? []).toFixed(1)} listings/s  goal 8\n` +
      `photos cached: ${median(ours).toFixed(1)} listings/s  goal 20\n` +
      `ratio to the bare browser: ${against('bare browser').toFixed(2)}  goal 0.80\n`,
  );
  for (const { name } of peers)
    process.stdout.write(`ratio to ${name}: ${against(name).toFixed(2)}  goal 2.00\n`);
} finally {
  await Promise.all(peers.map(peer => peer.close()));
  await bare.close();
  await service.stop();
  await assetHost.close();
  await photoHost.close();
}
