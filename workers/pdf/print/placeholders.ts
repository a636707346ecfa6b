/**
 * The browser prints small placeholder images; the printed PDF then gets the photos and drawings in their place. Chromium
 * passes a JPEG into the PDF unchanged, whatever it shows, so photos need not go through the browser. That saves several
 * copies of each photo in browser and worker, and drawing each icon again.
 */
import sharp from 'sharp';
import type { Asset } from '../layout/design.ts';
import { dictionaryAt, type PdfDictionary, type PdfObjects } from './pdf-file.ts';

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

const hashLength = 64;
const marker = Buffer.from('portal:');
/** A start of image and a comment segment; its length includes itself (ITU-T T.81, B.2.4.1 and B.2.4.5). */
const startOfImage = Buffer.from([0xff, 0xd8]);
const comment = Buffer.from([0xff, 0xfe, 0, 2 + marker.length + hashLength]);

/** The first bytes of a placeholder, before the hash. A listing's text cannot contain them: they are not characters. */
export const placeholderPrefix = Buffer.concat([startOfImage, comment, marker]);

/** The number of digits of the largest object number. */
const maxDigits = 10;

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

/** The placeholders of a print, with their object numbers and dictionaries. */
export function findPlaceholders({ bytes }: Pick<PdfObjects, 'bytes'>) {
  const found: { number: number; hash: string; entries: PdfDictionary }[] = [];
  for (let at = bytes.indexOf(placeholderPrefix); at !== -1; at = bytes.indexOf(placeholderPrefix, at + 1)) {
    const hashAt = at + placeholderPrefix.length;
    const objectAt = bytes.lastIndexOf(' 0 obj', at);
    const number = Number(/\d+$/.exec(bytes.toString('latin1', objectAt - maxDigits, objectAt))?.[0]);
    const { entries } = dictionaryAt(bytes, objectAt);
    found.push({ number, hash: bytes.toString('latin1', hashAt, hashAt + hashLength), entries });
  }
  return found;
}

/** @param placeholder its dictionary */
export function replacementEntries(placeholder: PdfDictionary, { kind, entries, body }: Replacement): PdfDictionary {
  const shared = kind === 'photo' ? placeholder : [];
  return new Map([...shared, ...entries, ['Length', String(body.length)]]);
}

/** Width and height are in pixels; the page sets the printed size. */
async function imageOf(kind: Replacement['kind']): Promise<Buffer> {
  const image = sharp({ create: { width: 16, height: 16, channels: 3, background: '#808080' } });
  return await image.toColourspace(colourSpaces[kind]).jpeg({ quality: 1, optimiseCoding: true }).toBuffer();
}
