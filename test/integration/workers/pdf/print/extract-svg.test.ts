/** A page with extracted icons and QR codes equals the browser's own print within a tolerance. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pixelmatch from 'pixelmatch';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DesignName } from '../../../../../workers/pdf/contract.ts';
import { openSamples, type Samples } from '../../../../../workers/pdf/gallery/samples.ts';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { fitText } from '../../../../../workers/pdf/layout/fit-text.ts';
import { extractSvg } from '../../../../../workers/pdf/print/extract-svg.ts';
import { countPages } from '../../../../../workers/pdf/print/pdf-file.ts';
import { createPlaceholders, placeholderPrefix } from '../../../../../workers/pdf/print/placeholders.ts';
import type { Printer } from '../../../../../workers/pdf/print/printer.ts';
import { finishPdf } from '../../../../support/finish-pdf.ts';
import { testPrinter } from '../../../../support/printing.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const properties = { title: '', author: '', subject: '', creator: '', language: 'en', fingerprint: '' };
const folder = temporaryFolder();
const has = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;

let printer: Printer;
let samples: Samples;
beforeAll(async () => {
  [printer, samples] = await Promise.all([testPrinter({ fit: fitText, pages: 1 }), openSamples()]);
});
afterAll(async () => {
  await Promise.all([printer?.close(), samples?.close()]);
});

async function bothPrints(name: DesignName) {
  const document = await samples.documentOf(await samples.read('sale-villa'), (await loadDesigns())[name]);
  const signal = AbortSignal.timeout(60_000);
  const { html, drawings } = extractSvg(document.html);
  const assets = new Map([...document.assets, ...(await createPlaceholders(drawings))]);
  const drawn = await printer.print({ html, assets, signal });
  const replacements = new Map([...drawings.values()].map(drawing => [drawing.hash, drawing]));
  return {
    plain: (await printer.print({ ...document, signal })).pdf,
    drawn: Buffer.concat(finishPdf(drawn.pdf, properties, replacements)),
    drawings,
  };
}

async function pixelsOf(pdf: Buffer, name: string, page: number) {
  const file = path.join(folder, `${name}.pdf`);
  writeFileSync(file, pdf);
  const args = ['-r', '100', '-singlefile', '-f', `${page}`, file];
  const image = execFileSync('pdftoppm', args, { maxBuffer: 10_000_000 });
  // A header, then three bytes for each pixel; as PNG, drawing a page takes three times as long.
  const [header = '', width, height] = /^P6\n(\d+) (\d+)\n255\n/.exec(image.toString('latin1', 0, 40)) ?? [];
  const raw = { width: Number(width), height: Number(height), channels: 3 } as const;
  return await sharp(image.subarray(header.length), { raw }).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
}

describe.each(DesignName.options)('the %s design', name => {
  let prints: Awaited<ReturnType<typeof bothPrints>>;
  beforeAll(async () => {
    prints = await bothPrints(name);
  });

  it('has each drawing once, and no placeholder', () => {
    expect(prints.drawings.size).toBeGreaterThan(10);
    const forms = (pdf: Buffer) => pdf.toString('latin1').split('/Subtype /Form').length;
    expect(forms(prints.drawn)).toBe(forms(prints.plain) + prints.drawings.size);
    expect(prints.drawn.includes(placeholderPrefix)).toBe(false);
  });

  it.runIf(has('pdftoppm'))('has the same pixels as a print by the browser, within a tolerance', async () => {
    for (let page = 1; page <= countPages(prints.plain); page++) {
      const plain = await pixelsOf(prints.plain, `${name}-plain`, page);
      const drawn = await pixelsOf(prints.drawn, `${name}-drawn`, page);
      const { width, height } = plain.info;
      const different = pixelmatch(plain.data, drawn.data, undefined, width, height, { threshold: 0.2 });
      // A single icon has about two hundred. pdftoppm rounds the straight strokes of the logo on page two to one or two pixels.
      expect(different, `page ${page}`).toBeLessThan(page === 1 ? 60 : 180);
    }
  });
});
