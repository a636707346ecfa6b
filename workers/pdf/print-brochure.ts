/** The way of one brochure from the stored listings to the stored PDF. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { JobContext, JobSuccess } from '../../core/jobs/handler.ts';
import type { WorkerServices } from '../services.ts';
import { type Brochure, findBrochure, keepBrochure } from './brochure-store.ts';
import { composePhotos } from './compose-photos.ts';
import type contract from './contract.ts';
import { type GatheredPhotos, gatherPhotos } from './gather-photos.ts';
import type { Design, DesignName } from './layout/design.ts';
import type { TextFit } from './layout/fit-text.ts';
import { Listing } from './listing.ts';
import type { PhotoSource } from './photos/fetch-photo.ts';
import { checkPages } from './print/check-pages.ts';
import { finishPdf } from './print/finish-pdf.ts';
import type { Printer } from './print/printer.ts';

export interface BrochureParts extends Pick<WorkerServices, 'inputs' | 'results'> {
  designs: Record<DesignName, Design>;
  printer: Printer;
  /** Changes when the browser does: its PDFs then differ in their bytes. */
  browserVersion: string;
  photos: PhotoSource;
  /** How long a result is kept, in hours. */
  keptHours: number;
}

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;

export async function printBrochure(
  payload: Payload,
  context: JobContext,
  parts: BrochureParts,
): Promise<JobSuccess<Result>> {
  const design = parts.designs[payload.design];
  const listings = await readListings(payload.input, parts);

  const gathered = await gatherPhotos(listings, design, parts.photos, context);
  tellFaults(gathered, payload, context);

  const fingerprint = fingerprintOf(listings, gathered, design, parts.browserVersion);
  const kept = await findBrochure(parts.results, fingerprint, parts.keptHours);
  const brochure = kept ?? (await makeBrochure(listings, gathered, design, fingerprint, context, parts));
  tellCuts(brochure.fits, context);
  return successOf(brochure, payload, listings, gathered);
}

async function readListings(input: string, { inputs }: BrochureParts): Promise<Listing[]> {
  const stored = await inputs.get(input);
  if (stored === undefined) {
    throw new ServiceError('gone', 'The listings of this job are no longer kept; send the request again.');
  }
  return z.array(Listing).parse(stored);
}

/** @throws ServiceError photo-unavailable when the request wants no PDF without all of its photos */
function tellFaults({ faults }: GatheredPhotos, { onError }: Payload, context: JobContext): void {
  if (onError === 'fail' && faults.length > 0) {
    throw new ServiceError('photo-unavailable', `${faults.length} of the photos could not be had.`, {
      faults: faults.map(({ pointer, detail }) => ({ pointer, detail })),
      passing: faults.some(fault => fault.passing),
    });
  }
  for (const { pointer, detail } of faults) context.warn({ pointer, detail });
}

/** Everything the bytes of the PDF depend on. */
function fingerprintOf(
  listings: readonly Listing[],
  { listings: photos }: GatheredPhotos,
  design: Design,
  browserVersion: string,
): string {
  const hashes = photos.map(({ had, missing, agent }) => [
    had.map(photo => photo.hash),
    missing,
    agent?.hash ?? null,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([design.name, design.version, browserVersion, listings, hashes]))
    .digest('hex');
}

async function makeBrochure(
  listings: readonly Listing[],
  gathered: GatheredPhotos,
  design: Design,
  fingerprint: string,
  context: JobContext,
  parts: BrochureParts,
): Promise<Brochure> {
  const composed = await composePhotos(listings, gathered.listings, design, parts.photos, context);
  const pages = listings.length * design.pagesPerListing;

  context.progress('layout', 0, pages, 62);
  const html = design.html(composed.prepared);

  context.progress('printing', 0, pages, 65);
  const assets = new Map([...design.assets, ...composed.assets]);
  const { pdf, fits } = await parts.printer.print({ html, assets, signal: context.signal });

  context.progress('checking', pages, pages, 92);
  checkPages(pdf, pages);
  const finished = finishPdf(pdf, { ...propertiesOf(listings, design), fingerprint });

  context.progress('storing', pages, pages, 96);
  return keepBrochure(parts.results, fingerprint, finished, { pages, fits, printedPhotos: composed.printed });
}

function propertiesOf(listings: readonly Listing[], design: Design) {
  const references = listings.map(listing => listing.reference_number);
  const [first] = listings;
  return {
    title: listings.length === 1 && first ? first.title_en : `${listings.length} properties`,
    author: design.author,
    subject: `Property listing ${references.slice(0, 20).join(', ')}`,
    creator: 'Portal Service',
    language: 'en',
  };
}

function tellCuts(fits: readonly TextFit[], context: JobContext): void {
  for (const { listing, field, cut } of fits) {
    if (!cut) continue;
    context.warn({
      pointer: `/list/${listing}/${field}`,
      detail: 'The text was longer than its place on the page and was shortened.',
    });
  }
}

function successOf(
  brochure: Brochure,
  { design }: Payload,
  listings: readonly Listing[],
  gathered: GatheredPhotos,
): JobSuccess<Result> {
  const { key, recordKey, bytes, sha256, pages } = brochure;
  const fileName = fileNameOf(listings);
  return {
    result: {
      design,
      listings: listings.length,
      pages,
      bytes,
      sha256,
      fileName,
      photos: { printed: brochure.printedPhotos, missing: gathered.faults.length },
    },
    file: { key, recordKey, contentType: 'application/pdf', fileName, bytes, sha256 },
  };
}

/** Letters, digits, dots and dashes only: it goes into a header and onto a disk. */
function fileNameOf(listings: readonly Listing[]): string {
  const [first] = listings;
  const name = listings.length === 1 && first ? first.reference_number : `${listings.length}-listings`;
  const safe = name
    .replace(/[^A-Za-z0-9.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return `${safe || 'listing'}.pdf`;
}
