/** The QR codes on the pages and images of all samples, read as a phone reads them; and permits of Dubai without an official link. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import jsQR from 'jsqr';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSamples, type Sample, type Samples, sampleNames } from '../../../../workers/pdf/gallery/samples.ts';
import type { LayoutName } from '../../../../workers/pdf/layout/design.ts';
import { type ChooseDesign, openDesigns } from '../../../../workers/pdf/layout/designs.ts';
import { fitText } from '../../../../workers/pdf/layout/fit-text.ts';
import type { Printer } from '../../../../workers/pdf/print/printer.ts';
import { emirateOf } from '../../../../workers/pdf/vocabulary/emirates.ts';
import { layoutOf } from '../../../support/layout-page.ts';
import { testPrinter } from '../../../support/printing.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const names = await sampleNames();
const layouts: readonly LayoutName[] = ['classic', 'new', 'card'];
/** Of an office printer, and of the images for sharing. */
const dpiOf = (layout: LayoutName) => (layout === 'card' ? 96 : 200);
const { signal } = new AbortController();
const brandsFolder = temporaryFolder();

let samples: Samples;
let printer: Printer;
let chooseDesign: ChooseDesign;

beforeAll(async () => {
  [samples, printer] = await Promise.all([openSamples(), testPrinter({ pages: 1, fit: fitText })]);
  mkdirSync(path.join(brandsFolder, 'brand'), { recursive: true });
  const templates = path.join(import.meta.dirname, '../../../../templates');
  writeFileSync(path.join(brandsFolder, 'brand/mark.svg'), await readFile(path.join(templates, 'brand/mark.svg')));
  const brand = JSON.parse(await readFile(path.join(templates, 'brand.json'), 'utf8'));
  const permitUrl = 'https://trakheesi.dubailand.gov.ae/permits/{permit}';
  writeFileSync(path.join(brandsFolder, 'template.json'), JSON.stringify({ ...brand, permitUrl }));
  chooseDesign = await openDesigns({ BRANDS_DIR: brandsFolder });
});
afterAll(async () => {
  await Promise.all([printer?.close(), samples?.close()]);
});

async function documentOf(sample: Sample, layout: LayoutName, brand?: string) {
  const design = await chooseDesign({ ...sample.request, design: layout, cover: false, brand });
  return await layoutOf(sample, samples, design);
}

/** As the image of a chat, which loses sharpness. */
async function read(png: Buffer): Promise<string | undefined> {
  const jpeg = await sharp(png).jpeg({ quality: 80 }).toBuffer();
  const { data, info } = await sharp(jpeg).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return jsQR.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

describe.each(layouts)('in the layout %s', layout => {
  it.each(names)('each code of the sample %s is read', async name => {
    const sample = await samples.read(name);
    const document = await documentOf(sample, layout);
    const count = document.html.match(/<svg class="qr-code"/g)?.length ?? 0;
    const views = Array.from({ length: count }, (_, at) => {
      return { selector: '.qr-code', page: at + 1, dpi: dpiOf(layout) } as const;
    });
    const codes = await Promise.all((await printer.screenshots({ ...document, signal }, views)).map(read));
    const official = sample.request.list.flatMap(({ permit_url }) => permit_url || []);
    const onPages = [...document.html.matchAll(/href="([^"]+)"><svg class="qr-code"/g)];
    const links = onPages.map(([, href = '']) => href.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='));
    // The images have no links; each size has the code.
    expect(codes).toEqual(layout === 'card' ? official.flatMap(url => [url, url, url]) : links);
    for (const url of official) expect(codes).toContain(url);
  });
});

describe('a listing of Dubai without an official link', () => {
  const dubai = async (name: string) => {
    const sample = await samples.read(name);
    const list = sample.request.list.filter(listing => emirateOf(listing) === 'dubai');
    return { ...sample, request: { ...sample.request, list: list.map(each => ({ ...each, permit_url: '' })) } };
  };

  it.each(names)('(%s) has its number and no link made from it', async name => {
    const sample = await dubai(name);
    for (const layout of layouts) {
      const { html } = await documentOf(sample, layout, 'template');
      expect(html).not.toContain('trakheesi');
      expect(html).not.toContain('official record');
      for (const { permit_number } of sample.request.list.filter(listing => listing.permit_number !== '')) {
        expect(html).toContain(permit_number);
        expect(html).not.toMatch(new RegExp(`href="[^"]*${permit_number}`));
      }
    }
  });
});

it('most samples of Dubai have an official link', async () => {
  const lists = await Promise.all(names.map(async name => (await samples.read(name)).request.list));
  expect(lists.flat().filter(({ permit_url }) => permit_url !== '').length).toBeGreaterThan(9);
});
