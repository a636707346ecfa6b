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
import { type BrochureContext, type BrochureSources, printParts, Unfinished } from './print-parts.ts';

export interface BrochureOrder {
  listings: readonly Listing[];
  photos: CollectedPhotos['listings'];
  design: Design;
  /** The digest of everything that determines the PDF. */
  fingerprint: string;
  quality: z.output<typeof contract.payload>['quality'];
  maxBytes: z.output<typeof contract.payload>['maxBytes'];
  /** The short link to print for each listing; empty when clicks are not tracked. */
  trackedUrls: readonly (string | undefined)[];
}

/** Stores all of the content; an error of the content stores nothing, and other content may follow. */
type StorePdf<T> = (pdf: AsyncIterable<Buffer>) => Promise<T>;

/**
 * Places the photos, prints the pages while they are cropped, and stores the composed PDF: with the highest photo quality
 * that fits into `maxBytes`, or the lowest when none does.
 * @returns undefined when a photo could not be cropped: collect the photos again
 */
export async function makeBrochure<T>(
  order: BrochureOrder,
  sources: BrochureSources,
  context: BrochureContext,
  store: StorePdf<T>,
) {
  const { listings, photos, design, trackedUrls } = order;
  let quality: PhotoQuality = qualities[order.quality];
  for (;;) {
    const { prepared, crops, printed: printedPhotos } = placePhotos(listings, photos, design, quality);
    const tracked = prepared.map((each, index) => ({ ...each, trackedUrl: trackedUrls[index] }));
    const fits: TextFit[] = [];
    const made = { pages: design.pagesOf(prepared), printedPhotos, quality };
    const brochure = { ...order, prepared: tracked, crops, fits, canShrink: lowerQuality(quality, 0) !== undefined };
    const result = await storeFinished(printParts(brochure, sources, context), store);
    if ('stored' in result) return { ...made, fits, isUnprocessed: false, stored: result.stored };
    const { reason } = result;
    if (reason.kind === 'uncropped') return undefined;
    if (reason.kind === 'too-large') {
      quality = lowerQuality(quality, reason.photoShare) ?? quality;
      continue;
    }
    unprocessedPdfs.inc();
    const message = 'the browser wrote a PDF of an unknown structure; printing it again without placeholders';
    context.logger.error({ err: reason.cause }, message);
    const cropped = await cropPlaced({ crops }, sources.photos, context);
    if (!cropped) return undefined;
    const assets = new Map([...design.assets, ...cropped]);
    const printed = await sources.printer.print({ html: design.html(tracked), assets, signal: context.signal });
    return { ...made, fits: printed.fits, isUnprocessed: true, stored: await store(Readable.from([printed.pdf])) };
  }
}

async function storeFinished<T>(pdf: AsyncIterable<Buffer>, store: StorePdf<T>) {
  try {
    return { stored: await store(pdf) };
  } catch (error) {
    if (error instanceof Unfinished) return { reason: error.reason };
    throw error;
  }
}
