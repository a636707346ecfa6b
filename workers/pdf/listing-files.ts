/** Makes one ZIP with files of each listing: its brochure as a PDF, and images for sharing. */
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import type { z } from 'zod';
import type { JobContext, JobSuccess } from '../../core/jobs/handler.ts';
import type contract from './contract.ts';
import { CardSize, cardSizes, type ListingFiles, type ResultPart } from './contract.ts';
import type { Design } from './layout/design.ts';
import type { Listing } from './listing.ts';
import { type CollectedPhotos, collectPhotos, cropPlaced, placePhotos } from './listing-photos.ts';
import { makeBrochure } from './make-brochure.ts';
import { sourceOfJob } from './photos/fetch-photos.ts';
import { type BrochureServices, designOf, failForFaults, fileNameOf } from './print-brochure.ts';
import type { BrochureContext } from './print-parts.ts';
import { readCheckedListings } from './read-listings.ts';
import { type ZipEntry, zip } from './zip.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;
type Part = Omit<ResultPart, 'sha256'>;
type Entry = ZipEntry & { part: Part };

/** Pixels per inch of the layout, so that a slot has the pixels of its style. */
const cardDpi = 96;
const cardQuality = { dpi: cardDpi, jpegQuality: 88 };
const jpeg = { quality: 86, chromaSubsampling: '4:4:4' } as const;

interface Order {
  payload: Payload;
  files: ListingFiles;
  design: Design;
  cards: Design;
  listings: readonly Listing[];
}

/** In the order of the layout, each once. */
const sizesIn = (images: ListingFiles['images']) => CardSize.options.filter(size => images.includes(size));

/** The same design without the slots of other sizes. */
const withSizes = (cards: Design, images: ListingFiles['images']): Design => ({
  ...cards,
  arrange: (...args) => cards.arrange(...args).filter(({ slot }) => images.some(size => size === slot.name)),
});

export async function makeListingFiles(
  payload: Payload,
  files: ListingFiles,
  context: JobContext,
  services: BrochureServices,
): Promise<JobSuccess<Result>> {
  const options = { language: payload.language, brand: payload.brand, cover: false } as const;
  const design = await services.chooseDesign({ ...designOf(payload, context), cover: false });
  const cards = withSizes(await services.chooseDesign({ design: 'card', ...options }), files.images);
  const listings = await readCheckedListings(payload, design, context, services);
  const order = { payload, files, design, cards, listings };
  const report = (_: string, done: number, total: number) =>
    context.progress('photos', done, total, (30 * done) / Math.max(1, total));
  const timed = { ...context, report };
  const source = sourceOfJob(services.photos, context.checkpoint);
  const collect = async () => {
    const found = await collectPhotos(listings, files.pdf ? design : cards, source, timed);
    failForFaults(found, payload);
    return found;
  };
  const progress = { photos: await collect(), collect, printed: 0 };
  const { file, parts, pages } = await storeFiles(order, progress, timed, { ...services, photos: source });
  const { photos, printed } = progress;
  for (const { pointer, detail } of [...photos.faults, ...photos.small, ...photos.mapFaults])
    context.warn({ pointer, detail });
  const { bytes, sha256, fileName } = file;
  const counts = { printed, missing: photos.faults.length };
  const result = { design: payload.design, listings: listings.length, pages, bytes, sha256, fileName, photos: counts };
  return { result: { ...result, files: parts }, file };
}

/** What the files made so far have found and printed. */
interface Made {
  photos: CollectedPhotos;
  /** Photos in PDFs. */
  printed: number;
  /** Collects again, without the photos that could not be cropped. */
  collect(): Promise<CollectedPhotos>;
}

/** Makes a file; again without the photos that cannot be cropped. */
async function withCroppable<T>(
  made: Made,
  index: number,
  make: (photos: CollectedPhotos['listings']) => Promise<T | undefined>,
): Promise<T> {
  for (;;) {
    const result = await make(made.photos.listings.slice(index, index + 1));
    if (result !== undefined) return result;
    made.photos = await made.collect();
  }
}

async function storeFiles(order: Order, made: Made, context: BrochureContext, services: BrochureServices) {
  const parts: (ResultPart & { offset: number })[] = [];
  const key = `pdf/files/${context.jobId}.zip`;
  const contentType = 'application/zip';
  const entries = entriesOf(order, made, context, services);
  const content = zip(entries, ({ part }, offset, sha256) => parts.push({ ...part, sha256, offset }));
  const { size: bytes, sha256 } = await services.results.put(key, content, { contentType });
  const fileName = `${fileNameOf(order.listings).replace(/\.pdf$/, '')}.zip`;
  const inside = parts.map(({ name, contentType: type, bytes: length, sha256: hash, offset }) => {
    return { fileName: name, contentType: type, bytes: length, sha256: hash, offset };
  });
  return {
    file: { key, contentType, fileName, bytes, sha256, parts: inside },
    parts: parts.map(({ offset: _, ...part }) => part),
    pages: parts.reduce((sum, { pages = 0 }) => sum + pages, 0),
  };
}

/** The files of one listing after the other, so that memory holds one listing at a time. */
async function* entriesOf(
  order: Order,
  made: Made,
  context: BrochureContext,
  services: BrochureServices,
): AsyncGenerator<Entry> {
  const { listings, files } = order;
  const names = new Set<string>();
  for (const [index, listing] of listings.entries()) {
    context.progress('files', index, listings.length, 30 + (70 * index) / listings.length);
    const name = unusedName(fileNameOf([listing]).replace(/\.pdf$/, ''), names);
    names.add(name.toLowerCase());
    const one = { index, listing, name };
    if (files.pdf) {
      const pdf = await withCroppable(made, index, photos => pdfOf({ ...one, photos }, order, context, services));
      made.printed += pdf.printed;
      yield pdf.entry;
    }
    if (files.images.length > 0) {
      yield* await withCroppable(made, index, photos => imagesOf({ ...one, photos }, order, context, services));
    }
  }
}

/** Compares without case: some file systems ignore it, and one file would overwrite the other. */
function unusedName(base: string, used: ReadonlySet<string>): string {
  let name = base;
  for (let number = 2; used.has(name.toLowerCase()); number += 1) name = `${base}-${number}`;
  return name;
}

interface OneListing {
  index: number;
  listing: Listing;
  photos: CollectedPhotos['listings'];
  name: string;
}

async function pdfOf(
  { index, listing, photos, name }: OneListing,
  { payload: { quality }, design }: Order,
  context: BrochureContext,
  services: BrochureServices,
) {
  const fingerprint = JSON.stringify([context.jobId, index]);
  const order = { listings: [listing], photos, design, fingerprint, quality, maxBytes: undefined, trackedUrls: [] };
  const silent = { ...context, report: () => undefined };
  const made = await makeBrochure(order, services, silent, pdf => buffer(pdf));
  if (!made) return undefined;
  const about = { listing: index, contentType: 'application/pdf', pages: made.pages };
  return { entry: entryOf(`${name}.pdf`, made.stored, about), printed: made.printedPhotos };
}

/** One screenshot for each size. */
async function imagesOf(
  { index, listing, photos, name }: OneListing,
  { files: { images, format }, cards }: Order,
  { signal }: BrochureContext,
  services: BrochureServices,
): Promise<Entry[] | undefined> {
  const { prepared, crops } = placePhotos([listing], photos, cards, cardQuality);
  const cropped = await cropPlaced({ crops }, services.photos, { signal });
  if (!cropped) return undefined;
  const document = { html: cards.html(prepared), assets: new Map([...cards.assets, ...cropped]), signal };
  const sizes = sizesIn(images);
  const views = sizes.map((_, at) => ({ selector: '.share', page: at + 1, dpi: cardDpi }));
  const screenshots = await services.printer.screenshots(document, views);
  const entries = sizes.map(async (size, at) => {
    const png = screenshots[at] ?? Buffer.alloc(0);
    const body = format === 'png' ? png : await sharp(png).jpeg(jpeg).toBuffer();
    const about = { listing: index, contentType: `image/${format}`, ...cardSizes[size] };
    return entryOf(`${name}-${size}.${format === 'png' ? 'png' : 'jpg'}`, body, about);
  });
  return await Promise.all(entries);
}

const entryOf = (name: string, body: Buffer, about: Omit<Part, 'name' | 'bytes'>): Entry => ({
  name,
  body,
  part: { name, bytes: body.length, ...about },
});
