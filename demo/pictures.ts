/** `npm run pictures`: makes the pictures of the README from the running service. */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright';
import sharp from 'sharp';
import { jobOf, type PortalClient } from '../client/src/index.ts';
import { type Service, StartConfig, startService } from '../core/cli/service.ts';
import { emptyDatabase } from '../core/postgres/migrate.ts';
import { readConfig } from '../core/runtime/config.ts';
import { rootFolder } from '../core/runtime/discover.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { connect, demoEnvironment, sampleListings } from './demo-service.ts';

const folder = path.join(rootFolder, 'docs/pictures');

const brochurePages = [
  { design: 'classic', page: 1 },
  { design: 'new', page: 1 },
  { design: 'new', page: 2 },
] as const;

/** Pixels; the README is shown at about 900. */
const pageWidth = 440;
const gap = 20;

/** Three pages of one listing, side by side on grey. */
async function pictureBrochures(client: PortalClient, sandboxPort: number): Promise<void> {
  const [listing] = await sampleListings(sandboxPort);
  if (!listing) throw new Error('demo/listings.json has no listing');
  const pages: Buffer[] = [];
  for (const { design, page } of brochurePages) {
    const image = await client.preview(listing, { design, page });
    const bytes = Buffer.from(await new Response(image.body).arrayBuffer());
    pages.push(await sharp(bytes).resize({ width: pageWidth }).toBuffer());
  }
  const { height } = await sharp(pages[0]).metadata();
  const width = gap + pages.length * (pageWidth + gap);
  const placed = pages.map((input, index) => ({ input, top: gap, left: gap + index * (pageWidth + gap) }));
  await sharp({ create: { width, height: height + 2 * gap, channels: 3, background: '#d5d8dc' } })
    .composite(placed)
    .webp({ quality: 80 })
    .toFile(path.join(folder, 'brochures.webp'));
}

/** Gives the operations page something to show: a held run, a failed brochure, and finished jobs. */
async function fillOperationsPage(client: PortalClient, sandboxPort: number): Promise<void> {
  const listings = await sampleListings(sandboxPort);
  for (const list of listings.map(listing => [listing])) {
    await client.waitForJob(await client.submitPdf(list, { design: 'new' }));
  }
  const [listing] = listings;
  if (listing) {
    const photo = [`http://127.0.0.1:${sandboxPort}/photos/missing.jpg`];
    const failing = await client.submitPdf([{ ...listing, photo }], { onError: 'fail' });
    await client.waitForJob(failing).catch(() => undefined);
  }
  await client.waitForJob(await jobOf(client.api.GET('/apps/crm/v1/deals/acquire')));
  await fetch(`http://127.0.0.1:${sandboxPort}/control/crm/data`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ collection: 'deals', change: 'halve' }),
  });
  const full = { params: { query: { full: true } } };
  await client.waitForJob(await jobOf(client.api.GET('/apps/crm/v1/deals/acquire', full))).catch(() => undefined);
}

async function pictureOperations(service: Service, cacheFolder: string): Promise<void> {
  const found = await findBrowser({ CHROMIUM_PATH: process.env.CHROMIUM_PATH }, { cacheFolder });
  const browser = await chromium.launch({ executablePath: found.path, env: found.env, chromiumSandbox: false });
  try {
    const { OPS_USER: username = '', OPS_PASSWORD: password = '' } = service.logins;
    const context = await browser.newContext({
      httpCredentials: { username, password },
      viewport: { width: 1280, height: 860 },
    });
    const page = await context.newPage();
    await page.goto(`${service.url}/ops`);
    const png = await page.screenshot({ animations: 'disabled' });
    await sharp(png).webp({ quality: 85 }).toFile(path.join(folder, 'operations.webp'));
  } finally {
    await browser.close();
  }
}

await demoEnvironment();
const config = readConfig(StartConfig);
await rm(path.join(config.DATA_DIR, 'sandbox'), { recursive: true, force: true });
const service = await startService(config, createLogger('pictures', config), () => process.exit(1), emptyDatabase);
try {
  await mkdir(folder, { recursive: true });
  const client = connect(service);
  await pictureBrochures(client, config.SANDBOX_PORT);
  await fillOperationsPage(client, config.SANDBOX_PORT);
  await pictureOperations(service, path.join(config.DATA_DIR, 'cache'));
} finally {
  await service.stop();
}
process.exit(0);
