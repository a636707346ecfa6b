/**
 * The browser prints small placeholder images; the printed PDF then gets the photos and drawings in their place. Chromium
 * passes a JPEG into the PDF unchanged, whatever it shows, so photos need not go through the browser. That saves several
 * copies of each photo in browser and worker, and drawing each icon again.
 */
import sharp from 'sharp';
import type { Asset } from '../layout/design.ts';
import { dictionaryAt, dictionaryText, type PdfDictionary, PdfStructureError } from './pdf-file.ts';

/** An XObject of the PDF (ISO 32000-1, 8.8) that replaces a placeholder. */
export interface Replacement {
  /** The placeholder of every photo must be in the print; text with a drawing may have been cut. */
  kind: 'photo' | 'drawing';
  /** SHA-256 in hex; identifies its placeholder. */
  hash: string;
  /** Without the length; a photo keeps the other entries of its placeholder, a drawing none. */
  entries: PdfDictionary;
  body: Buffer;
}

/** A photo cropped to its slot, as plain JPEG in sRGB. */
export interface PhotoAsset extends Asset {
  /** SHA-256 in hex of what the body is made from. */
  hash: string;
  widthPx: number;
  heightPx: number;
}

interface Exchange {
  from: number;
  to: number;
  parts: Buffer[];
}

const hashLength = 64;
const marker = Buffer.from('portal:');
/** A start of image and a comment segment; its length includes itself (ITU-T T.81, B.2.4.1 and B.2.4.5). */
const startOfImage = Buffer.from([0xff, 0xd8]);
const comment = Buffer.from([0xff, 0xfe, 0, 2 + marker.length + hashLength]);

/** The first bytes of a placeholder, before the hash. A listing's text cannot contain them: they are not characters. */
export const placeholderPrefix = Buffer.concat([startOfImage, comment, marker]);

/** ISO 32000-1, 7.3.8.1: the keyword, an end-of-line, then the data. */
const streamKeyword = Buffer.from('stream\n');

/** A photo keeps the colour space of its placeholder; a drawing does not, so its placeholder has the smallest. */
const colourSpaces = { photo: 'srgb', drawing: 'b-w' } as const;

const images: { [kind in Replacement['kind']]?: Promise<Buffer> } = {};

export function photoReplacement({ hash, body, widthPx, heightPx }: PhotoAsset): Replacement {
  const entries = new Map([
    ['Width', String(widthPx)],
    ['Height', String(heightPx)],
  ]);
  return { kind: 'photo', hash, entries, body };
}

/** @returns a placeholder for each replacement, by the same URL on the page */
export async function createPlaceholders(
  replacements: ReadonlyMap<string, Pick<Replacement, 'kind' | 'hash'>>,
): Promise<Map<string, Asset>> {
  const created = [...replacements].map(async ([url, { kind, hash }]) => {
    images[kind] ??= imageOf(kind);
    const image = (await images[kind]).subarray(startOfImage.length);
    const body = Buffer.concat([placeholderPrefix, Buffer.from(hash), image]);
    return [url, { body, contentType: 'image/jpeg' }] as const;
  });
  return new Map(await Promise.all(created));
}

/**
 * @param body the printed objects
 * @param replacements by hash
 * @param removed ranges of the body that are left out
 * @returns the parts of the new body in order, its bytes, and a function from old to new offsets; photos are not copied
 * @throws PdfStructureError when the placeholder of a photo is missing, because the page would show a grey image
 */
export function insertReplacements(
  body: Buffer,
  replacements: ReadonlyMap<string, Replacement>,
  removed: readonly { from: number; to: number }[] = [],
) {
  const missing = new Set([...replacements.values()].filter(({ kind }) => kind === 'photo').map(({ hash }) => hash));
  const exchanges: Exchange[] = removed.map(range => ({ ...range, parts: [] }));
  for (let at = body.indexOf(placeholderPrefix); at !== -1; at = body.indexOf(placeholderPrefix, at + 1)) {
    const hashAt = at + placeholderPrefix.length;
    const hash = body.toString('latin1', hashAt, hashAt + hashLength);
    const replacement = replacements.get(hash);
    if (!replacement) continue;
    exchanges.push(exchangeAt(body, at, replacement));
    missing.delete(hash);
  }
  if (missing.size > 0) throw new PdfStructureError(`The print lacks the placeholders of ${missing.size} photos.`);
  return applyExchanges(
    body,
    exchanges.sort((one, other) => one.from - other.from),
  );
}

/** Width and height are in pixels; the page sets the printed size. */
async function imageOf(kind: Replacement['kind']): Promise<Buffer> {
  const image = sharp({ create: { width: 16, height: 16, channels: 3, background: '#808080' } });
  return await image.toColourspace(colourSpaces[kind]).jpeg({ quality: 1, optimiseCoding: true }).toBuffer();
}

/** The bytes from the `<<` of a placeholder's dictionary to the end of its data, and the parts that replace them. */
function exchangeAt(body: Buffer, at: number, replacement: Replacement) {
  const placeholder = dictionaryAt(body, body.lastIndexOf(' obj', at));
  const dataAt = body.indexOf(streamKeyword, placeholder.end) + streamKeyword.length;
  const shared = replacement.kind === 'photo' ? placeholder.entries : [];
  const length = ['Length', String(replacement.body.length)] as const;
  const entries = new Map([...shared, ...replacement.entries, length]);
  return {
    from: placeholder.start,
    to: dataAt + Number(placeholder.entries.get('Length')),
    parts: [Buffer.from(`${dictionaryText(entries)} stream\n`, 'latin1'), replacement.body],
  };
}

function applyExchanges(body: Buffer, exchanges: readonly Exchange[]) {
  const parts: Buffer[] = [];
  /** From each old offset on, the bytes by which the content moved; in order. */
  const shifts: { from: number; by: number }[] = [];
  let copied = 0;
  let by = 0;
  for (const exchange of exchanges) {
    if (copied < exchange.from) parts.push(body.subarray(copied, exchange.from));
    parts.push(...exchange.parts);
    const inserted = exchange.parts.reduce((sum, { length }) => sum + length, 0);
    by += inserted - (exchange.to - exchange.from);
    if (shifts.at(-1)?.from === exchange.from) shifts.pop();
    shifts.push({ from: exchange.to, by });
    copied = exchange.to;
  }
  parts.push(body.subarray(copied));
  return { parts, bytes: body.length + by, newOffset: (at: number) => at + shiftAt(shifts, at) };
}

/** Finds the last shift at or before the offset by binary search. */
function shiftAt(shifts: readonly { from: number; by: number }[], at: number): number {
  let low = 0;
  let high = shifts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((shifts[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return shifts[low - 1]?.by ?? 0;
}
