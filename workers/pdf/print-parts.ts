/** Prints a brochure, a long one in parts that become one PDF, so that its memory does not depend on the number of listings. */
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Design, DocumentPart } from './layout/design.ts';
import type { TextFit } from './layout/fit-text.ts';
import type { PreparedListing } from './layout/view/listing.ts';
import { cleanText } from './layout/view/text.ts';
import type { Listing } from './listing.ts';
import { cropPlaced, cropsOf, type PlacedPhotos } from './listing-photos.ts';
import type { PhotoSource } from './photos/fetch-photos.ts';
import { extractSvg } from './print/extract-svg.ts';
import { checkPages, PdfStructureError } from './print/pdf-file.ts';
import { PdfWriter } from './print/pdf-writer.ts';
import { createPlaceholders, photoReplacement, type Replacement } from './print/placeholders.ts';
import type { Printer } from './print/printer.ts';
import type { ReportStage } from './progress.ts';

/** `report` replaces `progress`. */
export type BrochureContext = JobContext & { report: ReportStage };

export interface BrochureSources {
  printer: Pick<Printer, 'print'>;
  photos: PhotoSource;
}

/** Why a PDF is not finished but made again. */
type UnfinishedReason =
  | { kind: 'uncropped' }
  /** `photoShare`: the allowed bytes of the photos, relative to those they have. */
  | { kind: 'too-large'; photoShare: number }
  /** The browser wrote a complete PDF, as a newer browser may write it. */
  | { kind: 'unknown-structure'; cause: PdfStructureError };

/** Ends the bytes of a PDF, so that none of it is stored. */
export class Unfinished extends Error {
  readonly reason: UnfinishedReason;

  constructor(reason: UnfinishedReason) {
    super(`The PDF is made again: ${reason.kind}.`);
    this.reason = reason;
  }
}

export interface PreparedBrochure {
  listings: readonly Listing[];
  design: Design;
  /** The digest of everything that determines the PDF. */
  fingerprint: string;
  prepared: readonly PreparedListing[];
  crops: PlacedPhotos['crops'];
  /** Gets the texts that had to be fitted. */
  fits: TextFit[];
  maxBytes?: number | undefined;
  /** Whether a lower photo quality is left for a PDF of more than `maxBytes`. */
  canShrink: boolean;
}

/** A brochure of twice as many listings or more is printed in parts: the browser's time grows faster than the document. */
const listingsPerPart = 20;
const isInParts = (listings: number): boolean => listings >= 2 * listingsPerPart;
/** For two cores. */
const partsAtOnce = 2;
/** Number of listings up to which a brochure is printed while its photos are cropped. */
const shortList = 3;

type Part = ReturnType<typeof partsOf>[number];
type PrintedPart = Awaited<ReturnType<typeof printPart>>;

/** @returns the bytes of the PDF @throws Unfinished */
export async function* printParts(
  brochure: PreparedBrochure,
  sources: BrochureSources,
  context: BrochureContext,
): AsyncGenerator<Buffer> {
  const { listings, design, fingerprint, fits, maxBytes = Number.POSITIVE_INFINITY, canShrink } = brochure;
  const writer = new PdfWriter({ ...propertiesOf(listings, design), fingerprint }, design.sheet);
  const parts = partsOf(brochure);
  const printing: Promise<PrintedPart>[] = [];
  const printNext = (): void => {
    const part = parts.shift();
    if (!part) return;
    const printed = printPart(part, brochure, sources, context);
    // Awaited when the parts before it are written.
    printed.catch(() => undefined);
    printing.push(printed);
  };
  /** Photos of other parts on the cover. */
  let onCover: ReadonlySet<string> | undefined;
  let [bytes, photoBytes] = [0, 0];
  try {
    for (let started = 0; started < partsAtOnce; started++) printNext();
    for (let next = printing.shift(); next; next = printing.shift()) {
      const printed = await next;
      printNext();
      onCover ??= printed.shown;
      const written = writePart(writer, printed, onCover);
      fits.push(...printed.fits);
      photoBytes += written.photoBytes;
      const output = printing.length > 0 ? written.output : [...written.output, ...endOf(writer, printed)];
      bytes += output.reduce((sum, { length }) => sum + length, 0);
      if (printing.length === 0 && bytes > maxBytes && canShrink) {
        throw new Unfinished({ kind: 'too-large', photoShare: (photoBytes - bytes + maxBytes) / photoBytes });
      }
      printed.report('storing', printed.pages, printed.pages);
      yield* output;
    }
  } finally {
    // Nothing of this brochure runs on when a part fails.
    await Promise.allSettled(printing);
  }
}

function partsOf({ listings: { length }, prepared, design }: PreparedBrochure) {
  const count = isInParts(length) ? Math.round(length / listingsPerPart) : 1;
  return Array.from({ length: count }, (_, at): DocumentPart & { pages: number } => {
    const [from, to] = [Math.floor((at * length) / count), Math.floor(((at + 1) * length) / count)];
    return { from, to, pages: design.pagesOf(prepared, { from, to }) };
  });
}

async function printPart(
  part: Part,
  brochure: PreparedBrochure,
  { printer, photos }: BrochureSources,
  context: BrochureContext,
) {
  const { pages } = part;
  const { length } = brochure.listings;
  const isWhole = part.to - part.from === length;
  const report: ReportStage = (stage, done, total) =>
    isWhole ? context.report(stage, done, total) : context.report(stage, done, total, part);
  const cropping = cropPlaced({ crops: cropsOf(brochure, part) }, photos, { signal: context.signal, report });
  const cropped = cropping.then(Boolean, () => false);
  // The stages are reported in their order, also while both run.
  const reach = async (stage: 'layout' | 'printing') => {
    if (await cropped) report(stage, 0, pages);
  };
  const print = () => printPlaceholders(part, brochure, printer, { signal: context.signal, reach });
  // The print needs placeholders only. A long list keeps all cores busy either way.
  const printing = length > shortList ? cropping.then(print) : print();
  await Promise.allSettled([cropping, printing]);
  const [crops, printed] = await Promise.all([cropping, printing]);
  if (!crops) throw new Unfinished({ kind: 'uncropped' });
  report('checking', pages, pages);
  return { ...printed, crops, pages, report };
}

/** Prints with placeholders for photos and drawings. */
async function printPlaceholders(
  part: DocumentPart,
  { design, prepared, crops }: PreparedBrochure,
  printer: BrochureSources['printer'],
  { signal, reach }: { signal: AbortSignal; reach: (stage: 'layout' | 'printing') => unknown },
) {
  reach('layout');
  const document = design.html(prepared, part);
  const { html, drawings } = extractSvg(document);
  /** Not all photos: a map needs more space than the distances that are shown without it. */
  const shown = new Set(document.match(photoUrl));
  const images = new Map<string, Pick<Replacement, 'kind' | 'hash'>>(drawings);
  for (const url of shown) {
    const crop = crops.get(url);
    if (crop) images.set(url, { kind: 'photo', hash: crop.id });
  }
  const assets = new Map([...design.assets, ...(await createPlaceholders(images))]);
  const { pdf, fits } = await printer.print({ html, assets, signal, onLoaded: () => reach('printing') });
  return { pdf, fits, drawings, shown, links: linkTexts(html) };
}

/** @param onCover photos that the first part shows, of any part */
function writePart(
  writer: PdfWriter,
  { pdf, crops, drawings, shown, links, pages }: PrintedPart,
  onCover: ReadonlySet<string>,
) {
  const photos = [...crops].flatMap(([url, photo]) =>
    shown.has(url) || onCover.has(url) ? photoReplacement(photo) : [],
  );
  const replacements = new Map([...photos, ...drawings.values()].map(each => [each.hash, each]));
  const output = known(pdf, () => {
    checkPages(pdf, pages);
    return writer.add(pdf, replacements, links);
  });
  return { output, photoBytes: photos.reduce((sum, { body }) => sum + body.length, 0) };
}

const endOf = (writer: PdfWriter, { pdf }: PrintedPart): Buffer[] => known(pdf, () => writer.end());

function known<T>(pdf: Buffer, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof PdfStructureError && isComplete(pdf))) throw error;
    throw new Unfinished({ kind: 'unknown-structure', cause: error });
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
