/** Prints the PDF of collected photos and listings; repeats it with lower photo quality until it fits into `maxBytes`. */
import type { z } from 'zod';
import type { JobContext } from '../../core/jobs/handler.ts';
import { unprocessedPdfs } from '../../core/telemetry/meter.ts';
import type contract from './contract.ts';
import type { Design } from './layout/design.ts';
import { cleanText } from './layout/view/text.ts';
import type { Listing } from './listing.ts';
import { type CollectedPhotos, cropPlaced, type PlacedPhotos, placePhotos } from './listing-photos.ts';
import type { PhotoSource } from './photos/fetch-photos.ts';
import { lowerQuality, type PhotoQuality, qualities } from './photos/photo-quality.ts';
import { extractSvg } from './print/extract-svg.ts';
import { finishPdf, type PdfProperties } from './print/finish-pdf.ts';
import { checkPages, PdfStructureError } from './print/pdf-file.ts';
import { createPlaceholders, photoReplacement, type Replacement } from './print/placeholders.ts';
import type { Printer } from './print/printer.ts';
import { type ReportStage, shortList } from './progress.ts';

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

/** `report` replaces `progress`. */
export type BrochureContext = JobContext & { report: ReportStage };

interface Services {
  printer: Pick<Printer, 'print'>;
  photos: PhotoSource;
}

/** @returns the PDF in parts, with the highest photo quality that fits into `maxBytes`, or the lowest when none does */
export async function makeBrochure(order: BrochureOrder, services: Services, context: BrochureContext) {
  const { maxBytes = Number.POSITIVE_INFINITY } = order;
  let quality: PhotoQuality = qualities[order.quality];
  for (;;) {
    const { photoBytes, ...made } = await makeAt(quality, order, services, context);
    const excess = made.bytes - maxBytes;
    const lower = excess > 0 ? lowerQuality(quality, (photoBytes - excess) / photoBytes) : undefined;
    if (lower === undefined) return made;
    quality = lower;
  }
}

async function makeAt(
  quality: PhotoQuality,
  order: BrochureOrder,
  { printer, photos: source }: Services,
  context: BrochureContext,
) {
  const { listings, photos, design, fingerprint } = order;
  const placed = placePhotos(listings, photos, design, quality);
  const pages = design.pagesOf(listings.length, photos.filter(({ plans }) => plans.length > 0).length);
  const cropping = cropPlaced(placed, source, context);
  const cropped = cropping.then(Boolean, () => false);
  // The stages are reported in their order, also while both run.
  const report = async (stage: 'layout' | 'printing') => {
    if (await cropped) context.report(stage, 0, pages);
  };
  const print = () => printPlaced(placed, order, printer, context.signal, report);
  // The print needs placeholders only. A long list keeps all cores busy either way.
  const printing = listings.length > shortList ? cropping.then(print) : print();
  // Nothing of this attempt runs on when one of them fails.
  await Promise.allSettled([cropping, printing]);
  const [crops, { document, html, drawings, shown, ...printed }] = await Promise.all([cropping, printing]);

  context.report('checking', pages, pages);
  const photoReplacements = [...crops].flatMap(([url, photo]) => (shown.has(url) ? photoReplacement(photo) : []));
  const replacements = [...photoReplacements, ...drawings.values()];
  const byHash = new Map(replacements.map(replacement => [replacement.hash, replacement]));
  const properties = { ...propertiesOf(listings, design), fingerprint };
  const finished = finishIfKnown(printed.pdf, pages, properties, byHash, linkTexts(html), context);
  const { signal } = context;
  const printAll = () => printer.print({ html: document, assets: new Map([...design.assets, ...crops]), signal });
  const pdf = finished ?? [(await printAll()).pdf];
  return {
    pdf,
    bytes: lengthOf(pdf),
    pages,
    fits: printed.fits,
    isUnprocessed: finished === undefined,
    printedPhotos: placed.printed,
    quality,
    photoBytes: lengthOf(photoReplacements.map(({ body }) => body)),
  };
}

/** Prints with placeholders for photos and drawings. */
async function printPlaced(
  { prepared, crops }: PlacedPhotos,
  { design, trackedUrls }: BrochureOrder,
  printer: Services['printer'],
  signal: AbortSignal,
  report: (stage: 'layout' | 'printing') => unknown,
) {
  report('layout');
  const document = design.html(prepared.map((each, index) => ({ ...each, trackedUrl: trackedUrls[index] })));
  const { html, drawings } = extractSvg(document);
  /** Not all photos: a map needs more space than the distances that are shown without it. */
  const shown = new Set(document.match(photoUrl));
  const images = new Map<string, Pick<Replacement, 'kind' | 'hash'>>(drawings);
  for (const [url, { id }] of crops) if (shown.has(url)) images.set(url, { kind: 'photo', hash: id });
  const assets = new Map([...design.assets, ...(await createPlaceholders(images))]);
  const printed = await printer.print({ html, assets, signal, onLoaded: () => report('printing') });
  return { document, html, drawings, shown, ...printed };
}

/** @returns undefined for a structure that a newer browser may write, and reports it */
function finishIfKnown(
  printed: Buffer,
  pages: number,
  properties: PdfProperties,
  replacements: ReadonlyMap<string, Replacement>,
  links: ReadonlyMap<string, string>,
  { logger }: JobContext,
): Buffer[] | undefined {
  try {
    checkPages(printed, pages);
    return finishPdf(printed, properties, replacements, links);
  } catch (error) {
    if (!(error instanceof PdfStructureError && isComplete(printed))) throw error;
    unprocessedPdfs.inc();
    logger.error(
      { err: error },
      'the browser wrote a PDF of an unknown structure; printing it again without placeholders',
    );
    return undefined;
  }
}

const photoUrl = /https:\/\/brochure\.invalid\/photos\/\w+\.jpg/g;

const link = /<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs;

/** The texts of the links in a document by address as the browser writes it; of several with one address, the longest. */
function linkTexts(html: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [, href = '', content = ''] of html.matchAll(link)) {
    const address = cleanText(href);
    const key = URL.canParse(address) ? new URL(address).href : address;
    const text = cleanText(content.replace(/<[^>]*?\salt="([^"]*)"[^>]*>/g, ' $1 ').replace(/<[^>]*>/g, ' '));
    if (text.length > (texts.get(key)?.length ?? 0)) texts.set(key, text);
  }
  return texts;
}

const isComplete = (pdf: Buffer): boolean => pdf.indexOf('%PDF-') === 0 && pdf.subarray(-1_024).includes('%%EOF');

const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function propertiesOf(listings: readonly Listing[], design: Design) {
  const references = listings.slice(0, 20).map(listing => cleanText(listing.reference_number));
  const [first, second] = listings;
  return {
    title:
      first && !second
        ? cleanText(first.title_en) || cleanText(first.reference_number)
        : `${listings.length} properties`,
    author: design.author,
    subject: `Property listing ${references.join(', ')}`,
    creator: 'Portal Service',
    language: design.language,
  };
}
