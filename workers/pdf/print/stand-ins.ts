/**
 * Small pictures that the browser prints in the stead of photos and drawings. Chromium passes a JPEG into the PDF as it
 * is, whatever it shows, so what a page shows need not go through the browser: it takes its stand-in's place in the
 * printed file (put-in-inlays.ts). That saves each photo's bytes several times over in browser and worker, and drawing
 * every icon anew.
 */
import sharp from 'sharp';
import type { Asset } from '../layout/design.ts';
import type { PdfDictionary } from './pdf-file.ts';

/** What a page shows where its stand-in is: an XObject of the PDF (ISO 32000-1, 8.8). */
export interface Inlay {
  /** Every photo must come into the PDF; the text that a drawing goes with may be left out. */
  kind: 'photo' | 'drawing';
  /** sha256 in hex, by which its stand-in is known. */
  hash: string;
  /** For a drawing all, for a photo those that it does not share with its stand-in; both but for the length. */
  entries: PdfDictionary;
  body: Buffer;
}

/** A photo cut to its slot, as plain JPEG in sRGB. */
export interface CutPhoto extends Asset {
  /** sha256 of the body, in hex. */
  hash: string;
  widthPx: number;
  heightPx: number;
}

export function photoInlay({ hash, body, widthPx, heightPx }: CutPhoto): Inlay {
  const entries = new Map([
    ['Width', String(widthPx)],
    ['Height', String(heightPx)],
  ]);
  return { kind: 'photo', hash, entries, body };
}

const hashBytes = 64;
const word = Buffer.from('portal:');
/** A start of image, and a comment segment with its length, itself included (ITU-T T.81, B.2.4.1 and B.2.4.5). */
const startOfImage = Buffer.from([0xff, 0xd8]);
const comment = Buffer.from([0xff, 0xfe, 0, 2 + word.length + hashBytes]);

/** A stand-in begins so; the hash of what it stands for follows. No text of a listing can: these are no characters. */
export const standsFor = Buffer.concat([startOfImage, comment, word]);

/** Pixels to a side: the page says how large it is printed, and the PDF gets the rest with the inlay. */
const side = 16;

/** A photo keeps its stand-in's colour space; a drawing has none, and so the smallest. */
const colourSpaces = { photo: 'srgb', drawing: 'b-w' } as const;

const pictures = new Map<Inlay['kind'], Promise<Buffer>>();

function pictureFor(kind: Inlay['kind']): Promise<Buffer> {
  const picture =
    pictures.get(kind) ??
    sharp({ create: { width: side, height: side, channels: 3, background: '#808080' } })
      .toColourspace(colourSpaces[kind])
      .jpeg({ quality: 1, optimiseCoding: true })
      .toBuffer();
  pictures.set(kind, picture);
  return picture;
}

/** @param inlays by the URL that the page asks for; so are the answers */
export async function standIns(inlays: ReadonlyMap<string, Inlay>): Promise<Map<string, Asset>> {
  const made = [...inlays].map(
    async ([url, { kind, hash }]) => [url, standIn(hash, await pictureFor(kind))] as const,
  );
  return new Map(await Promise.all(made));
}

function standIn(hash: string, picture: Buffer): Asset {
  const body = Buffer.concat([standsFor, Buffer.from(hash), picture.subarray(startOfImage.length)]);
  return { body, contentType: 'image/jpeg' };
}
