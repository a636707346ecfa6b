/**
 * The printed pages look as they did when someone last looked at them: pictures of the samples against the ones kept
 * in `baselines/`. After a change that is meant, look at the pages (`npm run gallery`) and keep the new pictures:
 * `UPDATE_PICTURES=yes npx vitest run test/integration/workers/pdf/visual`.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import pixelmatch from 'pixelmatch';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesignName } from '../../../../../workers/pdf/contract.ts';
import { picturePages } from '../../../../../workers/pdf/gallery/picture-pages.ts';
import { openSampleRoom, type SampleRoom } from '../../../../../workers/pdf/gallery/sample-room.ts';
import { type ChooseDesign, openDesigns } from '../../../../../workers/pdf/layout/choose-design.ts';
import { fitText } from '../../../../../workers/pdf/layout/fit-text.ts';
import { type BrowserKeeper, keepBrowser } from '../../../../../workers/pdf/print/browser.ts';
import { countPages } from '../../../../../workers/pdf/print/check-pages.ts';
import type { FoundBrowser } from '../../../../../workers/pdf/print/find-browser.ts';
import type { Printer } from '../../../../../workers/pdf/print/printer.ts';
import { testBrowser, testPrinter } from '../../../../support/printing.ts';

const baselines = path.join(import.meta.dirname, 'baselines');
const failures = path.join(import.meta.dirname, '../../../../../.data/visual-failures');
const updating = process.env.UPDATE_PICTURES === 'yes';

/** 60 dpi: every edge and gap shows, and a picture takes 50 to 100 KB. */
const scale = 0.625;
const colours = 48;
/** Of a page's pixels; another processor rounds a few of them differently. */
const mostDifferent = 0.006;

const watched: readonly [sample: string, design: DesignName, pages: readonly number[]][] = [
  ['sale-villa', 'new', [0, 1]],
  ['sale-villa', 'classic', [0]],
  ['rent-office', 'classic', [0]],
  ['sale-land', 'new', [1]],
  ['panorama-and-tiny-photos', 'new', [0]],
  ['portrait-photos', 'classic', [0]],
  ['arabic', 'new', [0]],
  ['arabic', 'classic', [0]],
  ['both-languages', 'new', [1]],
  ['no-photos', 'classic', [0]],
  ['collection', 'new', [0]],
];

let browser: FoundBrowser;
let keeper: BrowserKeeper;
let printer: Printer;
let room: SampleRoom;
let chooseDesign: ChooseDesign;

beforeAll(async () => {
  browser = await testBrowser();
  keeper = keepBrowser({
    browser,
    sandbox: process.getuid?.() !== 0,
    drawsFrames: true,
    logger: pino({ level: 'silent' }),
  });
  [printer, room, chooseDesign] = await Promise.all([
    testPrinter({ fit: fitText, pages: 1 }),
    openSampleRoom(),
    openDesigns({ BRANDS_DIR: undefined }),
  ]);
});
afterAll(async () => {
  await Promise.all([printer?.close(), keeper?.close(), room?.close()]);
});

async function documentOf(name: string, design: DesignName) {
  const sample = await room.sample(name);
  const chosen = await chooseDesign({ design, ...sample.request });
  return { document: await room.documentOf(sample, chosen), design: chosen, list: sample.request.list };
}

const pixelsOf = (png: Buffer) => sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });

/** @returns the part of the pixels that differ, from 0 to 1 */
async function difference(name: string, picture: Buffer): Promise<number> {
  const kept = await pixelsOf(await readFile(path.join(baselines, name)));
  const made = await pixelsOf(picture);
  expect([made.info.width, made.info.height]).toEqual([kept.info.width, kept.info.height]);
  const { width, height } = kept.info;
  const marks = new Uint8Array(width * height * 4);
  const different = pixelmatch(kept.data, made.data, marks, width, height, { threshold: 0.2 });
  const part = different / (width * height);
  if (part > mostDifferent) {
    await mkdir(failures, { recursive: true });
    const marked = sharp(marks, { raw: { width, height, channels: 4 } }).png();
    await writeFile(path.join(failures, name), picture);
    await writeFile(path.join(failures, `different-${name}`), await marked.toBuffer());
  }
  return part;
}

describe('the pages of the samples', () => {
  it.for(watched)('%s in the %s design look as they did', async ([name, design, pages], context) => {
    // Another browser draws letters and scales photos its own way: nothing to compare with.
    if (browser.source !== 'bundled')
      context.skip(`the pictures are of the shipped browser, not ${browser.path}`);
    const { document } = await documentOf(name, design);
    const pictures = await picturePages(await keeper.running(), document, scale);
    for (const page of pages) {
      const file = `${name}-${design}-${page + 1}.png`;
      const picture = await sharp(pictures[page]).png({ palette: true, colours, effort: 4 }).toBuffer();
      if (updating) await writeFile(path.join(baselines, file), picture);
      expect(existsSync(path.join(baselines, file)), `${file} is kept`).toBe(true);
      const told = `${file}: see .data/visual-failures; after a change that is meant, keep the new pictures`;
      expect(await difference(file, picture), told).toBeLessThanOrEqual(mostDifferent);
    }
  });
});

describe('the page contract', () => {
  it.each(['collection', 'long-words', 'bare'])(
    'is kept by %s in both designs, a cover counted',
    async name => {
      for (const design of ['classic', 'new'] as const) {
        const { document, design: chosen, list } = await documentOf(name, design);
        const { pdf } = await printer.print({ ...document, signal: new AbortController().signal });
        expect(countPages(pdf)).toBe(chosen.pagesOf(list.length));
      }
    },
  );
});
