/**
 * Measures whether the printer's memory stays flat: 1,000 prints with pages that are replaced after 40 prints, and the
 * same number with pages that are never replaced. Last argument: the number of prints. Linux only.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import sharp from 'sharp';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { openPrinter } from '../workers/pdf/print/printer.ts';
import { descendsFrom, megabytesOf, runningProcesses } from './support/process-tree.ts';
import { figure } from './support/results.ts';

const origin = 'https://brochure.invalid';
const photosPerPrint = 10;
const pages = 2;
const printsPerPage = 40;
/** Prints until each page has been replaced once. */
const cycle = pages * printsPerPage;
const prints = Number(process.argv.at(-1)) || 1_000;

const logger = pino({ level: 'error' });
const browser = await findBrowser({}, { cacheFolder: join(import.meta.dirname, '..', '.data', 'browser') });
const noise = sharp({
  create: {
    width: 620,
    height: 410,
    channels: 3,
    background: 'grey',
    noise: { type: 'gaussian', mean: 128, sigma: 20 },
  },
});
const photo = await noise.jpeg({ quality: 75 }).toBuffer();

// Collects garbage before each measurement.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

interface Megabytes {
  browser: number;
  node: number;
}

const replaced = await memoryOver(printsPerPage);
const unreplaced = await memoryOver(Number.POSITIVE_INFINITY);
report('pages replaced after 40 prints', replaced);
report('pages never replaced', unreplaced);

/** Returns the PSS of the browser's processes and of this process after each round of prints. */
async function memoryOver(maxPrints: number): Promise<Megabytes[]> {
  const printer = await openPrinter({ browser, fit: () => [], logger, pages, printsPerPage: maxPrints });
  const megabytes: Megabytes[] = [];
  for (let print = 0; print < prints; print += pages) {
    await Promise.all(Array.from({ length: pages }, () => printer.print(request())));
    collectGarbage();
    megabytes.push({ browser: browserPss(), node: megabytesOf(process.pid) });
  }
  await printer.close();
  return megabytes;
}

/** A print with new photos: memory grows by what a page keeps of them. */
function request() {
  const urls = Array.from({ length: photosPerPrint }, () => `${origin}/photos/${randomBytes(16).toString('hex')}.jpg`);
  const assets = new Map(urls.map(url => [url, { body: withComment(photo), contentType: 'image/jpeg' }]));
  const images = urls.map(url => `<img src="${url}" width="300" height="200" alt="">`).join('');
  const html = `<!doctype html><html lang="en"><style>@page { size: A4; margin: 0 }</style><h1>Home</h1>${images}`;
  return { html, assets, signal: AbortSignal.timeout(60_000) };
}

/** The same picture with a random comment (JPEG marker FE) after its first marker. */
function withComment(jpeg: Buffer): Buffer {
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x12]), randomBytes(16)]);
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
}

/** PSS of this process's browser, in MB; ignores browsers of other services on the machine. */
function browserPss(): number {
  const own = runningProcesses().filter(
    ({ pid, command }) => command.includes(browser.path) && descendsFrom(pid, process.pid),
  );
  return own.reduce((sum, { pid }) => sum + megabytesOf(pid), 0);
}

function report(name: string, megabytes: readonly Megabytes[]): void {
  const steps = cycle / pages;
  const record = (part: string, of: (sample: Megabytes) => number) => {
    const values = megabytes.map(of);
    const warm = mean(values.slice(steps, 2 * steps));
    const last = mean(values.slice(-steps));
    const peak = Math.max(...values);
    figure(`${name}: ${part} at the end, of after warm-up`, last, 'MB', { baseline: warm });
    figure(`${name}: ${part}, peak`, peak, 'MB');
  };
  record('browser', ({ browser }) => browser);
  record('node', ({ node }) => node);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
