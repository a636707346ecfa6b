/**
 * Compares screenshots of the samples with those in `baselines/`. After an intended change, review the pages
 * (`npm run gallery`) and store the new screenshots:
 * `UPDATE_PICTURES=yes npx vitest run test/integration/workers/pdf/visual`.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import pixelmatch from 'pixelmatch';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { screenshotPages } from '../../../../../workers/pdf/gallery/page-screenshots.ts';
import { openSamples, type Samples } from '../../../../../workers/pdf/gallery/samples.ts';
import type { LayoutName } from '../../../../../workers/pdf/layout/design.ts';
import { type ChooseDesign, openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { fitText } from '../../../../../workers/pdf/layout/fit-text.ts';
import { type BrowserSupervisor, superviseBrowser } from '../../../../../workers/pdf/print/browser.ts';
import { type FoundBrowser, sandboxMode } from '../../../../../workers/pdf/print/find-browser.ts';
import { layoutOf, openLayoutPage } from '../../../../support/layout-page.ts';
import { testBrowser } from '../../../../support/printing.ts';

const baselines = path.join(import.meta.dirname, 'baselines');
const failures = path.join(import.meta.dirname, '../../../../../.data/visual-failures');
const updating = process.env.UPDATE_PICTURES === 'yes';

/** 60 dpi: edges and gaps are visible, and a screenshot has 50 to 100 KB. */
const scale = 0.625;
const colours = 48;
/** Share of a page's pixels; processors round a few pixels differently. */
const maxDifference = 0.006;

const compared: readonly [sample: string, design: LayoutName, pages: readonly number[]][] = [
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
  ['floor-plans', 'new', [1, 2]],
  ['floor-plans', 'classic', [1]],
  ['sale-villa', 'card', [0, 1, 2]],
  ['arabic', 'card', [0]],
  ['rent-apartment', 'classic', [0]],
  ['draft', 'new', [0]],
  ['draft', 'classic', [0]],
];

let browser: FoundBrowser;
let supervisor: BrowserSupervisor;
let samples: Samples;
let chooseDesign: ChooseDesign;

beforeAll(async () => {
  browser = await testBrowser();
  supervisor = superviseBrowser({
    browser,
    sandbox: sandboxMode({}),
    drawsFrames: true,
    logger: pino({ level: 'silent' }),
  });
  [samples, chooseDesign] = await Promise.all([openSamples(), openDesigns({ BRANDS_DIR: undefined })]);
});
afterAll(async () => {
  await Promise.all([supervisor?.close(), samples?.close()]);
});

const pixelsOf = (png: Buffer) => sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });

/** The share of pixels that differ, from 0 to 1. */
async function difference(name: string, screenshot: Buffer): Promise<number> {
  const baseline = await pixelsOf(await readFile(path.join(baselines, name)));
  const current = await pixelsOf(screenshot);
  expect([current.info.width, current.info.height]).toEqual([baseline.info.width, baseline.info.height]);
  const { width, height } = baseline.info;
  const marks = new Uint8Array(width * height * 4);
  const different = pixelmatch(baseline.data, current.data, marks, width, height, { threshold: 0.2 });
  const share = different / (width * height);
  if (share > maxDifference) {
    await mkdir(failures, { recursive: true });
    const marked = sharp(marks, { raw: { width, height, channels: 4 } }).png();
    await writeFile(path.join(failures, name), screenshot);
    await writeFile(path.join(failures, `different-${name}`), await marked.toBuffer());
  }
  return share;
}

describe('the pages of the samples', () => {
  it.for(compared)('%s in the %s design equal their baselines', async ([name, design, pages], context) => {
    // Other browsers render letters and scale photos differently.
    if (browser.source !== 'bundled')
      context.skip(`the baselines are from the bundled browser, not from ${browser.path}`);
    const sample = await samples.read(name);
    const document = await samples.documentOf(sample, await chooseDesign({ design, ...sample.request }));
    const screenshots = await screenshotPages(await supervisor.browser(), document, scale, pages);
    for (const [index, page] of pages.entries()) {
      const file = `${name}-${design}-${page + 1}.png`;
      const screenshot = await sharp(screenshots[index]).png({ palette: true, colours, effort: 4 }).toBuffer();
      if (updating) await writeFile(path.join(baselines, file), screenshot);
      expect(existsSync(path.join(baselines, file)), `${file} exists`).toBe(true);
      const hint = `${file}: see .data/visual-failures; after an intended change, store the new screenshots`;
      expect(await difference(file, screenshot), hint).toBeLessThanOrEqual(maxDifference);
    }
  });
});

describe('the page contract', () => {
  it.each(['collection', 'long-words', 'bare'])('holds for %s in both designs, with its cover', async name => {
    const page = await openLayoutPage(fitText);
    for (const design of ['classic', 'new'] as const) {
      const sample = await samples.read(name);
      const chosen = await chooseDesign({ design, ...sample.request });
      const layout = await layoutOf(sample, samples, chosen);
      await page.layOut(layout);
      expect(await page.pagesFrom(1)).toBe(chosen.pagesOf(layout.prepared));
    }
    await page.close();
  });
});
