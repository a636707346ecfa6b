/** PDFs for printing houses: bleed, boxes and crop marks. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const pointsPerMm = 72 / 25.4;
const realPhoto = readFileSync(path.join(import.meta.dirname, '../../../../sandbox/photos/07.jpg'));
const hasPoppler = spawnSync('pdfinfo', ['-v']).error === undefined;
const sheets = (
  [
    ['new', '/apps/portal/v1/pdf-new', 2],
    ['classic', '/apps/portal/v1/pdf', 1],
  ] as const
).flatMap(([design, operation, ownPages]) => [
  { design, operation, ownPages, cropMarks: false, marginMm: 3 },
  { design, operation, ownPages, cropMarks: true, marginMm: 10 },
]);

let brochures: BrochureService;
beforeAll(async () => {
  brochures = await startBrochureService('print-sheet', realPhoto);
});
afterAll(() => brochures?.close());

describe.runIf(hasPoppler).each(sheets)(
  'a PDF of quality print in the $design design with cropMarks $cropMarks',
  ({ design, operation, ownPages, cropMarks, marginMm }) => {
    const file = path.join(temporaryFolder(), `sheet-${design}-${marginMm}.pdf`);
    /** The cover, the pages of the listing, and one of further photos. */
    const pages = 1 + ownPages + 1;

    beforeAll(async () => {
      const listing = {
        reference_number: 'MP-2041',
        title_en: 'Corner apartment over the marina',
        price: '2,450,000',
        photo: Array.from({ length: 12 }, (_, place) => brochures.photos.photo(place)),
      };
      const cover = { for: 'Ms Hart', note: '' };
      const body = { list: [listing], quality: 'print', cropMarks, cover, gallery: 'full' };
      const headers = { accept: 'application/pdf' };
      const { status, bytes } = await brochures.client.request('POST', operation, { body, headers });
      expect(status, bytes.toString('latin1', 0, 500)).toBe(200);
      writeFileSync(file, bytes);
    });

    /** Distances in mm of a box from the edges of the sheet: left, bottom, width, height. */
    function boxesOf(name: string) {
      const text = execFileSync('pdfinfo', ['-box', '-l', '9', file], { encoding: 'utf8' });
      return [...text.matchAll(new RegExp(`${name}: +([\\d.]+) +([\\d.]+) +([\\d.]+) +([\\d.]+)`, 'g'))].map(
        ([, ...edges]) => {
          const [left = 0, bottom = 0, right = 0, top = 0] = edges.map(edge => Number(edge) / pointsPerMm);
          return [left, bottom, right - left, top - bottom];
        },
      );
    }

    it('has the A4 page as TrimBox and 3 mm around it as BleedBox on every page', () => {
      const [trims, bleeds] = [boxesOf('TrimBox'), boxesOf('BleedBox')];
      expect([trims.length, bleeds.length]).toEqual([pages, pages]);
      for (const [at, [left = 0, bottom = 0, width = 0, height = 0]] of trims.entries()) {
        expect(left).toBeCloseTo(marginMm, 1);
        expect(Math.abs(bottom - marginMm)).toBeLessThan(0.3);
        expect([width, height]).toEqual([expect.closeTo(210, 1), expect.closeTo(297, 1)]);
        expect(Math.abs((bleeds[at]?.[2] ?? 0) - 216)).toBeLessThan(0.3);
        expect(Math.abs((bleeds[at]?.[3] ?? 0) - 303)).toBeLessThan(0.3);
      }
    });

    it('prints photos or bands up to the edge of the bleed, and nothing but marks outside of it', async () => {
      const dpi = 127;
      const png = execFileSync('pdftoppm', ['-r', String(dpi), '-f', '2', '-l', '2', '-png', file], { maxBuffer: 1e8 });
      const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true });
      const brightness = (xMm: number, yMm: number) =>
        data[Math.round((yMm * dpi) / 25.4) * info.width + Math.round((xMm * dpi) / 25.4)] ?? 255;
      const edge = marginMm - 3;
      const right = (info.width / dpi) * 25.4 - edge;
      const bottom = (info.height / dpi) * 25.4 - edge;
      // The classic design has a band at the lower edge, the new one a photo at the upper.
      const along = design === 'new' ? [edge + 0.4, edge + 60, edge + 120] : [bottom - 20, bottom - 0.6];
      for (const y of along) {
        expect(brightness(edge + 0.4, y), `left, ${y} mm`).toBeLessThan(250);
        expect(brightness(right - 0.6, y), `right, ${y} mm`).toBeLessThan(250);
        if (edge > 0) expect(brightness(edge - 0.6, y), `outside, ${y} mm`).toBe(255);
      }
    });

    it('keeps texts at least 10 mm inside the trim', () => {
      const words = execFileSync('pdftotext', ['-bbox', file, '-'], { encoding: 'utf8' });
      const left = [...words.matchAll(/xMin="([\d.]+)"/g)].map(([, x]) => Number(x) / pointsPerMm);
      const right = [...words.matchAll(/xMax="([\d.]+)"/g)].map(([, x]) => Number(x) / pointsPerMm);
      expect(Math.min(...left)).toBeGreaterThan(marginMm + 10);
      expect(Math.max(...right)).toBeLessThan(marginMm + 200);
    });
  },
);
