/** The way of one brochure from the stored listings to the stored PDF. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Links } from '../../core/domain/links/links.ts';
import type { JobContext, JobSuccess } from '../../core/jobs/handler.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { WorkerServices } from '../services.ts';
import { type Brochure, findBrochure, keepBrochure } from './brochure-store.ts';
import type contract from './contract.ts';
import { type GatheredPhotos, gatherPhotos } from './gather-photos.ts';
import type { ChooseDesign } from './layout/choose-design.ts';
import type { Design } from './layout/design.ts';
import type { TextFit } from './layout/fit-text.ts';
import type { Listing } from './listing.ts';
import { type BrochureOrder, makeBrochure } from './make-brochure.ts';
import type { PhotoSource } from './photos/fetch-photo.ts';
import { recipe } from './photos/fit-photos.ts';
import { printGrade } from './photos/photo-grade.ts';
import type { Printer } from './print/printer.ts';
import { readListings } from './read-listings.ts';
import { reusableUntil } from './reusable-until.ts';
import { trackListings } from './tracked-links.ts';

export interface BrochureParts extends Pick<WorkerServices, 'inputs' | 'results'> {
  chooseDesign: ChooseDesign;
  printer: Printer;
  /** Changes when the browser does: its PDFs then differ in their bytes. */
  browserVersion: string;
  photos: PhotoSource;
  links: Pick<Links, 'create'>;
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
  const design = await parts.chooseDesign(payload);
  const listings = await readListings(payload.input, parts.inputs);

  const gathered = await gatherPhotos(listings, design, parts.photos, context);
  tellFaults(gathered, payload, context);
  if (payload.cover && !hasCover(design, listings)) context.warn(noCover);

  const { maxBytes, trackLinks } = payload;
  const trackedUrls = trackLinks ? await trackListings(listings, design, parts.links, context) : [];
  const fingerprint = fingerprintOf(listings, gathered, design, parts.browserVersion, [
    maxBytes,
    trackedUrls,
  ]);
  const order = { listings, photos: gathered.listings, design, fingerprint, maxBytes, trackedUrls };
  const kept = await findBrochure(parts.results, fingerprint, parts.keptHours);
  const brochure = kept ?? (await newBrochure(order, context, parts));
  tellCuts(brochure.fits, context);
  tellExcess(brochure, payload, context);
  return {
    ...successOf(brochure, payload, listings, gathered),
    reusableUntil: reusableUntil(payload, gathered),
  };
}

const noCover = { pointer: '/cover', detail: 'A list of three listings or fewer has no cover.' };

const hasCover = (design: Design, { length }: readonly Listing[]): boolean =>
  design.pagesOf(length) > length * design.pagesPerListing;

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
  asked: readonly unknown[],
): string {
  const hashes = photos.map(({ had, missing, agent }) => [
    had.map(photo => photo.hash),
    missing,
    agent?.hash ?? null,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([design.name, design.version, browserVersion, recipe, listings, hashes, asked]))
    .digest('hex');
}

/** Made and stored. */
async function newBrochure(
  order: BrochureOrder,
  context: JobContext,
  parts: BrochureParts,
): Promise<Brochure> {
  const { pdf, grade, ...told } = await makeBrochure(order, parts, context);
  context.progress('storing', told.pages, told.pages, 96);
  const traded = grade === printGrade ? undefined : { dpi: grade.dpi, quality: grade.quality };
  return keepBrochure(parts.results, order.fingerprint, pdf, { ...told, traded });
}

function tellExcess({ bytes }: Brochure, { maxBytes }: Payload, context: JobContext): void {
  if (maxBytes === undefined || bytes <= maxBytes) return;
  context.warn({
    pointer: '/maxBytes',
    detail: `The PDF has ${bytes} bytes with its photos as coarse as they are printed; send fewer listings or photos.`,
  });
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
      photos: {
        printed: brochure.printedPhotos,
        missing: gathered.faults.length,
        traded: brochure.traded,
      },
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
