/** Makes one brochure: from the stored listings to the stored PDF. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { LinkDraft } from '../../core/domain/links/link.ts';
import type { Links } from '../../core/domain/links/links.ts';
import type { JobContext, JobSuccess } from '../../core/jobs/handler.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import type { WorkerServices } from '../services.ts';
import { type Brochure, findBrochure, newPdfKey, recordBrochure } from './brochure-store.ts';
import type contract from './contract.ts';
import type { Design } from './layout/design.ts';
import type { SheetName } from './layout/sheet.ts';
import { missingCharacters } from './layout/view/text.ts';
import { missingDetail } from './lint/character-rules.ts';
import type { Listing } from './listing.ts';
import { type CollectedPhotos, collectPhotos, expectedPhotos } from './listing-photos.ts';
import { type BrochureOrder, makeBrochure } from './make-brochure.ts';
import type { PdfRuntime } from './pdf-runtime.ts';
import { cropVersion } from './photos/crop-photos.ts';
import { sourceOfJob } from './photos/fetch-photos.ts';
import { qualities } from './photos/photo-quality.ts';
import type { BrochureContext } from './print-parts.ts';
import { withStageProgress } from './progress.ts';
import { readCheckedListings } from './read-listings.ts';

export interface BrochureServices
  extends Pick<WorkerServices, 'inputs' | 'results'>,
    Pick<PdfRuntime, 'chooseDesign' | 'printer' | 'browserVersion' | 'photos' | 'permits'> {
  links: Pick<Links, 'create'>;
  /** Hours after which a result is deleted. */
  retentionHours: number;
}

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;

const unprocessedDetail =
  'The PDF is as the browser wrote it, because this service does not know its structure: it has no author, subject and trim box, is larger, and its number of pages was not checked.';

const pdfType = { contentType: 'application/pdf' };

/** "2026-11-22". */
/** In Dubai. */
export const today = (): string => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Dubai' }).format();

/** Names and references of links are shorter than those of listings may be. */
const maxReferenceLength = 200;

/** Reuses the stored PDF with the same fingerprint, or prints and stores a new one. */
export async function printBrochure(
  payload: Payload,
  context: JobContext,
  services: BrochureServices,
): Promise<JobSuccess<Result>> {
  const { cover } = payload;
  const date = cover === false ? undefined : today();
  const design = await services.chooseDesign({ ...designOf(payload, context), cover, date });
  const listings = await readCheckedListings(payload, design, context, services);

  const { length } = listings;
  if (cover === true && design.coverPagesOf(length) === 0)
    context.warn({ pointer: '/cover', detail: 'A list of three listings or fewer has no cover.' });
  for (const warning of coverWarnings(cover)) context.warn(warning);

  const expected = await expectedPhotos(listings, design, services.photos);
  const { photos, brochure } = await withStageProgress({ listings: length, ...expected }, context, report =>
    collectAndMake({ payload, listings, design }, { ...context, report }, services),
  );
  for (const { pointer, detail } of [...photos.faults, ...photos.small, ...photos.mapFaults])
    context.warn({ pointer, detail });
  if (brochure.isUnprocessed) context.warn({ pointer: '', detail: unprocessedDetail });
  for (const { listing, field, cut } of brochure.fits) {
    const detail = 'The text was too long for its space on the page and was shortened.';
    if (cut) context.warn({ pointer: `/list/${listing}/${field}`, detail });
  }
  if (brochure.bytes > (payload.maxBytes ?? Number.POSITIVE_INFINITY)) {
    const detail = `The PDF has ${brochure.bytes} bytes with its photos at the lowest quality; send fewer listings or photos.`;
    context.warn({ pointer: '/maxBytes', detail });
  }
  return successOf(brochure, payload.design, listings, photos.faults.length);
}

/** The design that the request asks for, with warnings of options that have no effect on it. */
export function designOf(payload: Payload, { warn }: Pick<JobContext, 'warn'>) {
  const { design, language, brand, pages, gallery, quality, cropMarks } = payload;
  if (quality === 'screen' && cropMarks)
    warn({ pointer: '/cropMarks', detail: 'Only a PDF with "quality": "print" has crop marks.' });
  if (design === 'classic' && pages === 'auto')
    warn({ pointer: '/pages', detail: 'Each listing has one page in the classic design; "auto" is for the new one.' });
  const printSheet: SheetName = cropMarks ? 'crop-marks' : 'bleed';
  return { design, language, brand, pages, gallery, sheet: quality === 'print' ? printSheet : undefined };
}

function coverWarnings(cover: Payload['cover']) {
  if (typeof cover === 'boolean') return [];
  return (['for', 'note'] as const).flatMap(field => {
    const missing = missingCharacters(cover[field]);
    return missing.length === 0 ? [] : [{ pointer: `/cover/${field}`, detail: missingDetail(missing) }];
  });
}

interface BrochureJob {
  payload: Payload;
  listings: readonly Listing[];
  design: Design;
}

/** Finds or makes the PDF of the photos that could be loaded; again without those that cannot be cropped. */
async function collectAndMake(
  { payload, listings, design }: BrochureJob,
  context: BrochureContext,
  services: BrochureServices,
) {
  const { quality, maxBytes } = payload;
  const { results, retentionHours } = services;
  const sources = { ...services, photos: sourceOfJob(services.photos, context.checkpoint) };
  let trackedUrls: BrochureOrder['trackedUrls'] | undefined;
  for (;;) {
    const photos = await collectPhotos(listings, design, sources.photos, context);
    failForFaults(photos, payload);
    trackedUrls ??= payload.trackLinks ? await createTrackedLinks(listings, design, services.links, context) : [];
    const options = [services.browserVersion, quality, maxBytes, trackedUrls];
    const fingerprint = fingerprintOf(listings, photos, design, options);
    const stored = await findBrochure(results, fingerprint, retentionHours);
    if (stored) return { photos, brochure: stored };
    const order = { listings, photos: photos.listings, design, fingerprint, quality, maxBytes, trackedUrls };
    const key = newPdfKey(fingerprint);
    const made = await makeBrochure(order, sources, context, pdf => results.put(key, pdf, pdfType));
    if (made)
      return { photos, brochure: await recordBrochure(results, fingerprint, { key, ...recordOf(made, quality) }) };
  }
}

type MadeBrochure = NonNullable<Awaited<ReturnType<typeof makeBrochure<Awaited<ReturnType<Store['put']>>>>>>;

function recordOf({ stored, quality, ...made }: MadeBrochure, wanted: BrochureOrder['quality']) {
  const { dpi, jpegQuality } = quality;
  const traded = quality === qualities[wanted] ? undefined : { dpi, quality: jpegQuality };
  return { ...made, traded, bytes: stored.size, sha256: stored.sha256 };
}

/** @throws ServiceError photo-unavailable when photos are missing and the request has `onError: fail` */
export function failForFaults({ faults }: CollectedPhotos, { onError }: Payload): void {
  if (onError === 'fail' && faults.length > 0) {
    throw new ServiceError('photo-unavailable', `${faults.length} of the photos could not be loaded.`, {
      faults: faults.map(({ pointer, detail }) => ({ pointer, detail })),
      transient: faults.some(fault => fault.transient),
    });
  }
}

/**
 * Creates a short link for each listing's page on the brand's site, so that clicks and scans are counted. A listing that
 * is printed again keeps its link.
 * @returns one short URL per listing, in the same order; undefined for a listing without a page
 */
async function createTrackedLinks(
  listings: readonly Listing[],
  design: Design,
  links: Pick<Links, 'create'>,
  context: Pick<JobContext, 'clientId' | 'warn'>,
): Promise<(string | undefined)[]> {
  const drafts = listings.map(listing => linkDraftOf(listing, design, context.clientId));
  const withPage = drafts.flatMap(draft => draft ?? []);
  if (withPage.length < listings.length) {
    const detail = `${listings.length - withPage.length} of the listings have no page on the brand’s site (listingUrl), so their clicks cannot be tracked.`;
    context.warn({ pointer: '/trackLinks', detail });
  }
  const created = await links.create(withPage, { findExisting: true });
  return drafts.map(draft => draft && created.shift()?.link.shortUrl);
}

function linkDraftOf(listing: Listing, design: Design, clientId: string): LinkDraft | undefined {
  const url = design.listingUrl(listing);
  if (url === null) return undefined;
  const reference = listing.reference_number.replaceAll(/\p{Cc}/gu, ' ').slice(0, maxReferenceLength);
  const utm = { source: 'brochure', medium: 'pdf' };
  return { kind: 'brochure', name: reference, url, reference, utm, clientId };
}

/** SHA-256 over everything that the bytes of the PDF depend on. */
function fingerprintOf(
  listings: readonly Listing[],
  { listings: photos }: CollectedPhotos,
  { name, version }: Design,
  options: readonly unknown[],
): string {
  const hashOf = (photo: { hash: string } | undefined) => photo?.hash ?? null;
  const hashes = photos.map(({ fetched, missing, hasMore, agent, plans, map }) => {
    return [fetched.map(hashOf), missing, hasMore, hashOf(agent), plans.map(hashOf), hashOf(map)];
  });
  const parts = [name, version, cropVersion, listings, hashes, options];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function successOf(
  { key, recordKey, bytes, sha256, pages, printedPhotos, traded }: Brochure,
  design: Payload['design'],
  listings: readonly Listing[],
  missing: number,
): JobSuccess<Result> {
  const fileName = fileNameOf(listings);
  const photos = { printed: printedPhotos, missing, traded };
  return {
    result: { design, listings: listings.length, pages, bytes, sha256, fileName, photos },
    file: { key, recordKey, contentType: 'application/pdf', fileName, bytes, sha256 },
  };
}

/** Contains only letters, digits, dots and dashes, which are safe in an HTTP header and on a disk. */
export function fileNameOf(listings: readonly Listing[]): string {
  const [first, second] = listings;
  const name = first && !second ? first.reference_number : `${listings.length}-listings`;
  const safe = name
    .replace(/[^A-Za-z0-9.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return `${safe || 'listing'}.pdf`;
}
