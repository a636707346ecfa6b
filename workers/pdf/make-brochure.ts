/** Makes the PDF of gathered listings: cut photos, lay out, print, check, finish; again with coarser photos until it fits. */
import type { z } from 'zod';
import type { JobContext } from '../../core/jobs/handler.ts';
import { composePhotos } from './compose-photos.ts';
import type contract from './contract.ts';
import type { GatheredPhotos } from './gather-photos.ts';
import type { Design } from './layout/design.ts';
import type { TextFit } from './layout/fit-text.ts';
import type { Listing } from './listing.ts';
import type { PhotoSource } from './photos/fetch-photo.ts';
import { coarserGrade, type PhotoGrade, printGrade } from './photos/photo-grade.ts';
import { checkPages } from './print/check-pages.ts';
import { finishPdf } from './print/finish-pdf.ts';
import type { Printer } from './print/printer.ts';
import { photoInlay, standIns } from './print/stand-ins.ts';
import { takeDrawings } from './print/take-drawings.ts';

export interface BrochureOrder {
  listings: readonly Listing[];
  photos: GatheredPhotos['listings'];
  design: Design;
  /** Of all that the PDF is made of. */
  fingerprint: string;
  maxBytes: z.output<typeof contract.payload>['maxBytes'];
  /** For each listing the short link that is printed; none where clicks are not counted. */
  trackedUrls: readonly (string | undefined)[];
}

export interface MadeBrochure {
  /** The file, in parts. */
  pdf: readonly Buffer[];
  bytes: number;
  pages: number;
  fits: TextFit[];
  printedPhotos: number;
  grade: PhotoGrade;
}

interface Means {
  printer: Printer;
  photos: PhotoSource;
}

/** @returns the finest that has at most `maxBytes`, or the coarsest there is when none has */
export async function makeBrochure(
  order: BrochureOrder,
  means: Means,
  context: JobContext,
): Promise<MadeBrochure> {
  const { maxBytes = Number.POSITIVE_INFINITY } = order;
  let grade = printGrade;
  for (;;) {
    const { photoBytes, ...made } = await printAt(grade, order, means, context);
    const excess = made.bytes - maxBytes;
    const coarser = excess > 0 ? coarserGrade(grade, (photoBytes - excess) / photoBytes) : undefined;
    if (coarser === undefined) return made;
    grade = coarser;
  }
}

async function printAt(
  grade: PhotoGrade,
  { listings, photos, design, fingerprint, trackedUrls }: BrochureOrder,
  means: Means,
  context: JobContext,
): Promise<MadeBrochure & { photoBytes: number }> {
  const composed = await composePhotos(listings, photos, design, means.photos, context, grade);
  const pages = design.pagesOf(listings.length);

  context.progress('layout', 0, pages, 62);
  const html = design.html(
    composed.prepared.map((prepared, index) => ({ ...prepared, trackedUrl: trackedUrls[index] })),
  );

  context.progress('printing', 0, pages, 65);
  const drawn = takeDrawings(html);
  const photoInlays = new Map([...composed.assets].map(([url, photo]) => [url, photoInlay(photo)]));
  const inlays = new Map([...photoInlays, ...drawn.drawings]);
  const assets = new Map([...design.assets, ...(await standIns(inlays))]);
  const printed = await means.printer.print({ html: drawn.html, assets, signal: context.signal });

  context.progress('checking', pages, pages, 92);
  checkPages(printed.pdf, pages);
  const byHash = new Map([...inlays.values()].map(inlay => [inlay.hash, inlay]));
  const pdf = finishPdf(printed.pdf, { ...propertiesOf(listings, design), fingerprint }, byHash);
  const photoBytes = lengthOf([...photoInlays.values()].map(({ body }) => body));
  const bytes = lengthOf(pdf);
  return { pdf, bytes, pages, fits: printed.fits, printedPhotos: composed.printed, grade, photoBytes };
}

const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function propertiesOf(listings: readonly Listing[], design: Design) {
  const references = listings.map(listing => listing.reference_number);
  const [first] = listings;
  return {
    title: listings.length === 1 && first ? first.title_en : `${listings.length} properties`,
    author: design.author,
    subject: `Property listing ${references.slice(0, 20).join(', ')}`,
    creator: 'Portal Service',
    language: design.language,
  };
}
