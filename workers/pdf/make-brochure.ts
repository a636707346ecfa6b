/** Makes the PDF of collected photos and listings; repeats it with lower photo quality until it fits into `maxBytes`. */
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { unprocessedPdfs } from '../../core/telemetry/meter.ts';
import type contract from './contract.ts';
import type { Design } from './layout/design.ts';
import type { TextFit } from './layout/fit-text.ts';
import type { Listing } from './listing.ts';
import { type CollectedPhotos, cropPlaced, placePhotos } from './listing-photos.ts';
import { lowerQuality, type PhotoQuality, qualities } from './photos/photo-quality.ts';
import { type BrochureContext, type BrochureSources, printParts, UnknownStructure } from './print-parts.ts';

export interface BrochureOrder {
  listings: readonly Listing[];
  photos: CollectedPhotos['listings'];
  design: Design;
  /** Of everything that determines the PDF. */
  fingerprint: string;
  quality: z.output<typeof contract.payload>['quality'];
  maxBytes: z.output<typeof contract.payload>['maxBytes'];
  /** The short link to print for each listing; empty when clicks are not tracked. */
  trackedUrls: readonly (string | undefined)[];
}

/** Stores all of the content; an error of the content stores nothing, and other content may follow. */
type StorePdf<T> = (pdf: AsyncIterable<Buffer>) => Promise<T>;

/** Stores the PDF with the highest photo quality that fits into `maxBytes`, or the lowest when none does. */
export async function makeBrochure<T>(
  order: BrochureOrder,
  sources: BrochureSources,
  context: BrochureContext,
  store: StorePdf<T>,
) {
  let quality: PhotoQuality = qualities[order.quality];
  for (;;) {
    const made = await makeAt(quality, order, sources, context, store);
    if (!('lower' in made)) return made;
    quality = made.lower;
  }
}

/** The PDF exceeds `maxBytes`. */
class TooLarge extends Error {
  readonly lower: PhotoQuality;

  constructor(lower: PhotoQuality) {
    super('The PDF is too large.');
    this.lower = lower;
  }
}

async function makeAt<T>(
  quality: PhotoQuality,
  order: BrochureOrder,
  sources: BrochureSources,
  context: BrochureContext,
  store: StorePdf<T>,
) {
  const { listings, photos, design, trackedUrls, maxBytes = Number.POSITIVE_INFINITY } = order;
  const placed = placePhotos(listings, photos, design, quality);
  const prepared = placed.prepared.map((each, index) => ({ ...each, trackedUrl: trackedUrls[index] }));
  const pages = design.pagesOf(listings.length, photos.filter(({ plans }) => plans.length > 0).length);
  const fits: TextFit[] = [];
  const made = { pages, printedPhotos: placed.printed, quality };
  const checkSize = (bytes: number, photoBytes: number): void => {
    const excess = bytes - maxBytes;
    const lower = excess > 0 ? lowerQuality(quality, (photoBytes - excess) / photoBytes) : undefined;
    if (lower) throw new TooLarge(lower);
  };
  try {
    const brochure = { ...order, prepared, crops: placed.crops, fits, checkSize };
    const stored = await store(printParts(brochure, sources, context));
    return { ...made, fits, isUnprocessed: false, stored };
  } catch (error) {
    if (error instanceof TooLarge) return { lower: error.lower };
    if (!(error instanceof UnknownStructure)) throw error;
    unprocessedPdfs.inc();
    const message = 'the browser wrote a PDF of an unknown structure; printing it again without placeholders';
    context.logger.error({ err: error.cause }, message);
  }
  const assets = new Map([...design.assets, ...(await cropPlaced(placed, sources.photos, context))]);
  const printed = await sources.printer.print({ html: design.html(prepared), assets, signal: context.signal });
  return { ...made, fits: printed.fits, isUnprocessed: true, stored: await store(Readable.from([printed.pdf])) };
}
