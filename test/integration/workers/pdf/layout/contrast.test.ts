/// <reference lib="dom" />
/**
 * Texts have the contrast of WCAG 2.2 with what is behind them on the page: 4.5:1, and 3:1 for large ones. On all samples in
 * both designs with a cover, which only adds pages, on images for sharing, and on photos as bright as they may be without more shade.
 */
import { pino } from 'pino';
import type { BrowserContext } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pages } from '../../../../../workers/pdf/contract.ts';
import { showDocument } from '../../../../../workers/pdf/gallery/page-screenshots.ts';
import { openSamples, type Sample, type Samples, sampleNames } from '../../../../../workers/pdf/gallery/samples.ts';
import type { LayoutName } from '../../../../../workers/pdf/layout/design.ts';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { luminanceOf } from '../../../../../workers/pdf/photos/measure-brightness.ts';
import { type BrowserSupervisor, superviseBrowser } from '../../../../../workers/pdf/print/browser.ts';
import { sandboxMode } from '../../../../../workers/pdf/print/find-browser.ts';
import { testBrowser } from '../../../../support/printing.ts';

const chooseDesign = await openDesigns({ BRANDS_DIR: undefined });
const names = await sampleNames();
const layouts = ['classic', 'new', 'card'] as const;
const cover = { for: 'Mr and Mrs Al Suwaidi', note: 'Seen on Thursdays.' };

const withoutText =
  '<style>* { -webkit-text-fill-color: transparent !important } .draft-mark { display: none !important }</style>';

let samples: Samples;
let supervisor: BrowserSupervisor;
let context: BrowserContext;
beforeAll(async () => {
  samples = await openSamples();
  const [found, logger] = [await testBrowser(), pino({ level: 'silent' })];
  supervisor = superviseBrowser({ browser: found, sandbox: sandboxMode({}), drawsFrames: true, logger });
  const browser = await supervisor.browser();
  context = await browser.newContext({ viewport: { width: 794, height: 1_123 }, javaScriptEnabled: false });
});
afterAll(async () => {
  await supervisor?.close();
  await samples?.close();
});

type Line = ReturnType<typeof findLines>[number];

/** The lines of text on a page, with their colours and sizes in px. Runs in the page. */
function findLines(sheet: Element) {
  const origin = sheet.getBoundingClientRect();
  const walker = document.createTreeWalker(sheet, NodeFilter.SHOW_TEXT);
  const lines = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || node.textContent?.trim() === '' || !parent.checkVisibility()) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(parent);
    const [red = 0, green = 0, blue = 0, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
    let opacity = alpha;
    for (let each: Element | null = parent; each !== null; each = each.parentElement)
      opacity *= Number(getComputedStyle(each).opacity);
    const range = document.createRange();
    range.selectNodeContents(node);
    const size = Number.parseFloat(fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    for (const { left, top, width, height } of range.getClientRects())
      lines.push({
        text: (node.textContent ?? '').trim().slice(0, 40),
        colour: [red, green, blue],
        opacity,
        isLarge,
        left: Math.round(left - origin.left),
        // The middle of the line, where its letters are.
        top: Math.round(top - origin.top + height * 0.2),
        width: Math.round(width),
        height: Math.max(1, Math.round(height * 0.6)),
      });
  }
  return lines;
}

interface Pixels {
  data: Buffer;
  info: { width: number; height: number; channels: number };
}

/** The lowest contrast of a line with the mean colour of a square as high as its letters. */
function contrastOf(line: Line, { data, info }: Pixels): number {
  let lowest = Number.POSITIVE_INFINITY;
  const { left, top, width, height, opacity, colour } = line;
  for (let start = left; start < left + Math.max(1, width - height / 2); start += height) {
    const sum = [0, 0, 0];
    let count = 0;
    for (let y = Math.max(0, top); y < Math.min(top + height, info.height); y++)
      for (let x = Math.max(0, start); x < Math.min(start + height, left + width, info.width); x++) {
        for (const part of [0, 1, 2])
          sum[part] = (sum[part] ?? 0) + (data[(y * info.width + x) * info.channels + part] ?? 0);
        count++;
      }
    if (count === 0) continue;
    const [red = 0, green = 0, blue = 0] = sum.map(total => total / count);
    const behind = [red, green, blue] as const;
    const [r = 0, g = 0, b = 0] = behind.map((part, at) => opacity * (colour[at] ?? 0) + (1 - opacity) * part);
    const [light = 0, dark = 0] = [luminanceOf(r, g, b), luminanceOf(red, green, blue)].sort(
      (one, other) => other - one,
    );
    lowest = Math.min(lowest, (light + 0.05) / (dark + 0.05));
  }
  return lowest;
}

/** The texts with too little contrast. The mark of a draft, across the text, is left out. */
async function faintTexts({ request }: Sample, layout: LayoutName, pages: Pages = 'fixed'): Promise<string[]> {
  const design = await chooseDesign({ ...request, design: layout, pages, cover: layout === 'card' ? false : cover });
  const shown = await samples.documentOf({ name: '', request }, design);
  const page = await context.newPage();
  try {
    await showDocument(page, shown);
    const faint: string[] = [];
    const sheets = await page.locator('.page, .cover, .plans, .share').all();
    const lines = await Promise.all(sheets.map(sheet => sheet.evaluate(findLines)));
    // Not `addStyleTag`, which waits for an event that a page without JavaScript has not.
    await page.evaluate(styles => document.head.insertAdjacentHTML('beforeend', styles), withoutText);
    for (const [at, sheet] of sheets.entries()) {
      const pixels = await sharp(await sheet.screenshot())
        .raw()
        .toBuffer({ resolveWithObject: true });
      for (const line of lines[at] ?? []) {
        const contrast = contrastOf(line, pixels);
        if (contrast < (line.isLarge ? 3 : 4.5)) faint.push(`page ${at + 1}: "${line.text}" ${contrast.toFixed(2)}`);
      }
    }
    return faint;
  } finally {
    await page.close();
  }
}

describe.each(layouts)('in the layout %s', layout => {
  it.each(names)('all texts of the sample %s are legible', async name => {
    expect(await faintTexts(await samples.read(name), layout)).toEqual([]);
  });

  const title = {
    title_en: 'An exceptional waterfront residence '.repeat(4),
    title_ar: 'فيلا فاخرة على شاطئ البحر '.repeat(4),
  };
  it.each([
    ['white', '#ffffff', 'en'],
    ['white', '#ffffff', 'ar'],
    ['white', '#ffffff', 'both'],
    ['just not bright at the bottom', '#d1d1d1', 'both'],
    ['just not bright at the top', '#868686', 'en'],
  ] as const)(
    'all texts on a photo that is %s (%s, %s) are legible, also of a long title',
    async (_, colour, language) => {
      const shape = { widthPx: 1_600, heightPx: 1_200 };
      const { widthPx: width, heightPx: height } = shape;
      const photo = await sharp({ create: { width, height, channels: 3, background: colour } })
        .jpeg()
        .toBuffer();
      const url = `https://photos.example/${colour.slice(1)}`;
      await samples.source.cache.store(url, photo, shape, 60_000);
      const sample = await samples.read('sale-villa');
      const [listing = expect.fail()] = sample.request.list;
      const few = { description_en: 'A quiet home.', amenities: '', geopoints: '' };
      for (const fields of [{}, title, few]) {
        const list = [{ ...listing, ...fields, photo: [url] }];
        const shown = { ...sample, request: { ...sample.request, list, language } };
        expect(await faintTexts(shown, layout, fields === few ? 'auto' : 'fixed')).toEqual([]);
      }
    },
  );
});
