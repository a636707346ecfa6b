/**
 * Brochures conform to PDF/UA-1: all failure conditions of the Matterhorn Protocol that software can determine, for the listings
 * of all samples, in both designs and all languages; with covers, floor plans, a map, another brand and the quality of print;
 * also long ones, which are printed in parts.
 */
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSamples, type Samples, sampleNames } from '../../../../workers/pdf/gallery/samples.ts';
import type { Design, DesignOptions } from '../../../../workers/pdf/layout/design.ts';
import { type ChooseDesign, openDesigns } from '../../../../workers/pdf/layout/designs.ts';
import { fitText, type TextFit } from '../../../../workers/pdf/layout/fit-text.ts';
import type { Listing } from '../../../../workers/pdf/listing.ts';
import { collectPhotos } from '../../../../workers/pdf/listing-photos.ts';
import { type BrochureOrder, makeBrochure } from '../../../../workers/pdf/make-brochure.ts';
import type { Printer } from '../../../../workers/pdf/print/printer.ts';
import { jobContext } from '../../../support/job-context.ts';
import { conditions } from '../../../support/matterhorn.ts';
import { Name, Reference, type Value } from '../../../support/pdf-objects.ts';
import { testPrinter } from '../../../support/printing.ts';
import { TaggedPdf } from '../../../support/tagged-pdf.ts';

const special = 'with a map, another brand, tracked links and the quality of print';
let samples: Samples;
let printer: Printer;
const documents = new Map<string, TaggedPdf>();
/** Of the last print. */
let fits: readonly TextFit[] = [];
/** The same listings three times, so that each part has the photos of the part before. */
let repeated: readonly Listing[] = [];
const context = { ...jobContext(), report: () => undefined };

async function print(
  listings: readonly Listing[],
  design: Design,
  options: Partial<BrochureOrder> = {},
): Promise<TaggedPdf> {
  const { listings: photos } = await collectPhotos(listings, design, samples.source, context);
  const order = { fingerprint: 'test', quality: 'screen', maxBytes: undefined, trackedUrls: [], ...options } as const;
  const services = { printer, photos: samples.source };
  const made = await makeBrochure({ ...order, listings, photos, design }, services, context, pdf => buffer(pdf));
  if (!made) throw new Error('A photo could not be cropped.');
  expect(made.isUnprocessed).toBe(false);
  fits = made.fits;
  return new TaggedPdf(made.stored);
}

/** `collection` has the listings of others. The photos differ in size only: two of each listing take less time to crop. */
async function allListings(): Promise<Listing[]> {
  const names = (await sampleNames()).filter(name => name !== 'collection');
  const read = await Promise.all(names.map(name => samples.read(name)));
  return read.flatMap(({ request }) => request.list.map(listing => ({ ...listing, photo: listing.photo.slice(0, 2) })));
}

beforeAll(async () => {
  [printer, samples] = await Promise.all([testPrinter({ pages: 1, fit: fitText }), openSamples()]);
  const listings = await allListings();
  const origin = new URL(listings.find(({ photo }) => photo.length > 0)?.photo[0] ?? '').origin;
  const plain = await openDesigns({ BRANDS_DIR: undefined });
  const mapped = await openDesigns({
    BRANDS_DIR: undefined,
    MAP_URL: `${origin}/photos/07.jpg?size={w}x{h}&at={lat},{lon},{zoom}`,
    MAP_ATTRIBUTION: '© Contributors of the map',
  });
  const cover: DesignOptions['cover'] = { for: 'Mr and Mrs Al Suwaidi', note: 'صباح الخير' };
  const choose = (
    designs: ChooseDesign,
    design: 'classic' | 'new',
    language: DesignOptions['language'],
    brand?: string,
  ) => designs({ design, language, cover, brand, date: '2026-11-22' });
  for (const design of ['classic', 'new'] as const) {
    for (const language of ['en', 'ar', 'both'] as const)
      documents.set(`${design}, ${language}`, await print(listings, await choose(plain, design, language)));
    const branded = await choose(mapped, design, 'en', 'northline');
    const few = [...listings.filter(({ floor_plans }) => floor_plans.length > 0), ...listings.slice(-2)];
    const trackedUrls = few.map((_, at) => `https://link.example/${at}`);
    const options = { quality: 'print', trackedUrls } as const;
    documents.set(`${design}, ${special}`, await print(few, branded, options));
    const single = await plain({ design, language: 'en', cover: false });
    documents.set(`${design}, one listing`, await print(listings.slice(0, 1), single));
  }
  repeated = [...listings, ...listings, ...listings];
  documents.set('classic, in parts', await print(repeated, await choose(plain, 'classic', 'ar')));
  documents.set('new, in parts', await print(repeated, await choose(plain, 'new', 'en')));
});
afterAll(async () => {
  await Promise.all([printer?.close(), samples?.close()]);
});

describe('in all brochures', () => {
  it.each(conditions)('$requirement ($numbers)', ({ failures }) => {
    const found = [...documents].flatMap(([name, pdf]) => failures(pdf).map(failure => `${name}: ${failure}`));
    expect(found).toEqual([]);
  });

  it('photos, floor plans, maps and QR codes have alternative texts', () => {
    const pdf = documents.get(`new, ${special}`);
    const alternatives = pdf?.elements.map(({ entries }) => pdf.objects.text(entries.get('Alt')) ?? '') ?? [];
    for (const text of [/: photo 1 of \d/, /^Map of /, /^Scan to open the official record$/, /^Floor plan 1 of \d, /])
      expect(
        alternatives.some(alternative => text.test(alternative)),
        String(text),
      ).toBe(true);
  });

  it('links have their text as description', () => {
    const pdf = documents.get('new, en');
    const descriptions = pdf?.annotations().map(({ entries }) => pdf.objects.text(entries.get('Contents'))) ?? [];
    expect(descriptions).toContain('+971 50 123 4501');
    expect(descriptions).toContain('Scan or tap to open the map');
    expect(descriptions.some(text => /^Beachfront villa .* AED 14,750,000 Permit \d+ \d+$/.test(text ?? ''))).toBe(
      true,
    );
  });

  it('running headers and footers are pagination artifacts', () => {
    const pdf = documents.get('new, en');
    const pages = pdf?.painted
      .filter(({ tags }) => tags.some(({ isPagination }) => isPagination))
      .map(({ page }) => page);
    expect(new Set(pages).size).toBe(pdf?.pages.length);
  });
});

describe.each(['classic', 'new'])('a brochure that was printed in parts in the %s design', design => {
  const whole = () => documents.get(`${design}, in parts`) as TaggedPdf;
  const pageOf = (pdf: TaggedPdf, destination: Value | undefined) => {
    const names = pdf.objects.dictionary(pdf.catalog.get('Dests'));
    const place = destination instanceof Name ? names.get(destination.name) : destination;
    const [page] = pdf.objects.list(place);
    return pdf.pages.findIndex(({ number }) => page instanceof Reference && page.number === number);
  };

  it('has one list of bookmarks: the cover, then each listing', () => {
    const pdf = whole();
    const outlines = pdf.objects.dictionary(pdf.catalog.get('Outlines'));
    const pages: number[] = [];
    let previous: Value | undefined;
    for (let next = outlines.get('First'); next instanceof Reference; ) {
      const bookmark = pdf.objects.dictionary(next);
      expect(bookmark.get('Prev')).toEqual(previous);
      expect(bookmark.get('Parent')).toEqual(pdf.catalog.get('Outlines'));
      pages.push(pageOf(pdf, bookmark.get('Dest')));
      [previous, next] = [next, bookmark.get('Next') as Reference];
    }
    expect(outlines.get('Last')).toEqual(previous);
    expect(pages).toEqual([0, ...firstPages(pdf)]);
  });

  it('has links on its cover to the first page of each listing', () => {
    const pdf = whole();
    const links = pdf.annotations().filter(({ entries }) => entries.has('Dest'));
    expect(links.map(({ entries }) => pageOf(pdf, entries.get('Dest')))).toEqual(firstPages(pdf));
    const described = links.map(({ entries }) => pdf.objects.text(entries.get('Contents')) ?? '');
    for (const [at, page] of firstPages(pdf).entries()) expect(described[at]).toMatch(new RegExp(`\\D${page + 1}$`));
  });

  it('has each image once', () => {
    const pdf = whole();
    const images = pdf.objects.numbers.flatMap(number => {
      const image = new Reference(number);
      const isImage = pdf.objects.name(pdf.objects.dictionary(image).get('Subtype')) === 'Image';
      return isImage ? (pdf.objects.stream(image)?.toString('base64') ?? '') : [];
    });
    expect(images.length).toBeGreaterThan(20);
    expect(new Set(images).size).toBe(images.length);
  });

  /** Of the listings: before the first one is the cover. */
  function firstPages(pdf: TaggedPdf): number[] {
    const each = repeated.map(({ floor_plans }) => (design === 'new' ? 2 : 1) + (floor_plans.length > 0 ? 1 : 0));
    const all = each.reduce((sum, count) => sum + count, 0);
    return each.map((_, at) => each.slice(0, at).reduce((sum, count) => sum + count, pdf.pages.length - all));
  }
});

it('the texts that were shortened in a part are reported for their listing', () => {
  const count = repeated.length / 3;
  const fitsOf = (third: number) =>
    new Set(
      fits.flatMap(({ listing, field, cut }) =>
        cut && Math.floor(listing / count) === third ? `${listing % count} ${field}` : [],
      ),
    );
  expect(fitsOf(2).size).toBeGreaterThan(0);
  expect(fitsOf(1)).toEqual(fitsOf(2));
});
