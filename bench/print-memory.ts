/**
 * Whether the printer's memory stays flat: 1,000 prints with replaced pages, beside as many with pages that are kept; or
 * as many as the last argument says. Linux only.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import sharp from 'sharp';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { openPrinter } from '../workers/pdf/print/printer.ts';

const origin = 'https://brochure.invalid';
const photosPerPrint = 10;
const pages = 2;
const printsPerPage = 40;
/** Both pages have been through their prints once. */
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

// What is held is measured, not what waits to be collected.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

interface Megabytes {
  browser: number;
  node: number;
}

const replaced = await memoryOver(printsPerPage);
const kept = await memoryOver(Number.POSITIVE_INFINITY);
report('pages replaced after 40 prints', replaced);
report('pages kept', kept);

/** PSS of the browser’s processes and of this one after each round of prints. */
async function memoryOver(share: number): Promise<Megabytes[]> {
  const printer = await openPrinter({ browser, fit: () => [], logger, pages, printsPerPage: share });
  const megabytes: Megabytes[] = [];
  for (let print = 0; print < prints; print += pages) {
    await Promise.all(Array.from({ length: pages }, () => printer.print(request())));
    collectGarbage();
    megabytes.push({ browser: browserPss(), node: pssOf(process.pid) });
  }
  await printer.close();
  return megabytes;
}

/** Photos no print had before: what a page keeps of them is what grows. */
function request() {
  const urls = Array.from(
    { length: photosPerPrint },
    () => `${origin}/photos/${randomBytes(16).toString('hex')}.jpg`,
  );
  const assets = new Map(urls.map(url => [url, { body: unlike(photo), contentType: 'image/jpeg' }]));
  const images = urls.map(url => `<img src="${url}" width="300" height="200" alt="">`).join('');
  const html = `<!doctype html><html lang="en"><style>@page { size: A4; margin: 0 }</style><h1>Home</h1>${images}`;
  return { html, assets, signal: AbortSignal.timeout(60_000) };
}

/** The same picture with a comment of its own (JPEG marker FE) behind its first marker. */
function unlike(jpeg: Buffer): Buffer {
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x12]), randomBytes(16)]);
  return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
}

function browserPss(): number {
  let megabytes = 0;
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (command.includes(browser.path) && isDescendant(Number(pid))) megabytes += pssOf(Number(pid));
    } catch {
      // The process ended meanwhile.
    }
  }
  return megabytes;
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Not the browser of another service on this machine: ours descends from this process. */
function isDescendant(pid: number): boolean {
  for (let at = pid; at > 1; ) {
    if (at === process.pid) return true;
    const status = readFileSync(`/proc/${at}/status`, 'utf8');
    at = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return false;
}

function report(name: string, megabytes: readonly Megabytes[]): void {
  const steps = cycle / pages;
  const line = (part: string, of: (sample: Megabytes) => number) => {
    const values = megabytes.map(of);
    const warm = mean(values.slice(steps, 2 * steps));
    const last = mean(values.slice(-steps));
    const peak = Math.max(...values);
    return `  ${part}: ${warm.toFixed(0)} MB after warm-up, ${last.toFixed(0)} MB at the end (ratio ${(last / warm).toFixed(2)}), peak ${peak.toFixed(0)} MB`;
  };
  const parts = [line('browser', ({ browser }) => browser), line('node', ({ node }) => node)];
  process.stdout.write(`${name}\n${parts.join('\n')}\n`);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
