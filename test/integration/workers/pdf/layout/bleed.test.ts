/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Photos at the edge of a page cover the bleed of sheets for a printing house, and end at the same places inside. */
import { describe, expect, it } from 'vitest';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import type { PhotoShape } from '../../../../../workers/pdf/layout/photo-slot.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import { placePhotos } from '../../../../../workers/pdf/listing-photos.ts';
import type { FitText } from '../../../../../workers/pdf/print/print-page.ts';
import { collectedPhotos } from '../../../../support/collected-photos.ts';
import { openLayoutPage } from '../../../../support/layout-page.ts';

const chooseDesign = await openDesigns({ BRANDS_DIR: undefined });
const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home', price: '1200000' });
const landscape: PhotoShape = { widthPx: 3_840, heightPx: 2_560 };
const portrait: PhotoShape = { widthPx: 2_560, heightPx: 3_840 };
const panorama: PhotoShape = { widthPx: 6_000, heightPx: 2_000 };

/** The edges of all photos of the first page or of its gallery together, from those of the sheet's page, in mm. */
const edgesOfPhotos: FitText = () =>
  [...document.querySelectorAll('.hero, .gallery')].map(place => {
    const page = place.closest('.page')?.getBoundingClientRect();
    const photos = [...place.querySelectorAll('img')].map(photo => photo.getBoundingClientRect());
    const edges = [
      Math.min(...photos.map(({ left }) => left)) - (page?.left ?? 0),
      (page?.right ?? 0) - Math.max(...photos.map(({ right }) => right)),
      Math.min(...photos.map(({ top }) => top)) - (page?.top ?? 0),
      Math.max(...photos.map(({ bottom }) => bottom)) - (page?.top ?? 0),
    ];
    const field = JSON.stringify(edges.map(px => Math.round((px * 254) / 96) / 10));
    return { listing: 0, field, level: 0, cut: false };
  });

async function edgesIn(sheet: 'bleed' | 'crop-marks', language: 'en' | 'ar', shapes: readonly PhotoShape[]) {
  const design = await chooseDesign({ design: 'new', language, cover: false, sheet, pages: 'auto' });
  const fetched = shapes.map((shape, at) => {
    return { ...shape, ok: true as const, url: `https://photos.example/${at}`, hash: String(at), freshUntil: 0 };
  });
  const { prepared } = placePhotos([listing], [collectedPhotos({ fetched })], design);
  const page = await openLayoutPage(edgesOfPhotos);
  const fits = await page.layOut({ html: design.html(prepared), assets: design.assets });
  await page.close();
  return fits.map(({ field }): unknown => JSON.parse(field));
}

describe.each([
  ['bleed', 0],
  ['crop-marks', 7],
] as const)('on a sheet with %s', (sheet, edge) => {
  const heroMm = 171.5 + 3 + edge;
  it.each<[string, PhotoShape[], number, number]>([
    ['a landscape', [landscape, landscape], edge, heroMm],
    ['a panorama', [panorama, panorama], edge, 92.1 + 3 + edge],
    ['a portrait', [portrait], edge + 3 + 90, heroMm],
    ['two portraits', [portrait, portrait], edge, heroMm],
    ['a landscape of a listing on one page', [landscape], edge, 101.6 + 3 + edge],
  ])('the hero of %s covers it', async (_, shapes, startMm, bottomMm) => {
    const [hero, gallery] = await edgesIn(sheet, 'en', shapes);
    expect(hero).toEqual([startMm, edge, edge, bottomMm].map(mm => expect.closeTo(mm, 0)));
    if (gallery) expect(gallery).toEqual([...[edge, edge, edge].map(mm => expect.closeTo(mm, 0)), expect.any(Number)]);
    const [arabic] = await edgesIn(sheet, 'ar', shapes);
    expect(arabic).toEqual([edge, startMm, edge, bottomMm].map(mm => expect.closeTo(mm, 0)));
  });
});
