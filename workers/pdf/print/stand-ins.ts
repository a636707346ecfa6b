/**
 * Small pictures that the browser prints in the photos' stead. Chromium passes a JPEG into the PDF as it is, whatever it
 * shows, so the photos themselves need not go through the browser: they take their stand-ins' places in the printed file
 * (put-in-photos.ts). That saves each photo's bytes several times over in browser and worker, and the time to move them.
 */
import sharp from 'sharp';
import type { Asset } from '../layout/design.ts';

/** A photo cut to its slot, as plain JPEG in sRGB. */
export interface CutPhoto extends Asset {
  /** sha256 of the body, in hex. */
  hash: string;
  widthPx: number;
  heightPx: number;
}

/** Opens the comment that says which photo a picture stands for; 64 hex digits follow. */
export const standsFor = 'portal-photo:';

/** A comment segment begins so and then has its length, itself included (ITU-T T.81, B.2.4.5). */
const comment = Buffer.from([0xff, 0xfe]);
const startOfImageBytes = 2;

/** Slots come in a few dozen sizes, and their grey pictures are of some 6 kB. */
const greys = new Map<string, Promise<Buffer>>();
const mostGreys = 500;

/** @param photos by the URL that the page asks for; so are the answers */
export async function standIns(photos: ReadonlyMap<string, CutPhoto>): Promise<Map<string, Asset>> {
  const entries = [...photos].map(async ([url, photo]) => [url, await standIn(photo)] as const);
  return new Map(await Promise.all(entries));
}

/** As large in pixels as the photo, so that all that the PDF says of the one is true of the other. */
async function standIn({ hash, widthPx, heightPx, contentType }: CutPhoto): Promise<Asset> {
  const grey = await greyOf(widthPx, heightPx);
  const text = Buffer.from(standsFor + hash);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(length.length + text.length);
  const start = grey.subarray(0, startOfImageBytes);
  const body = Buffer.concat([start, comment, length, text, grey.subarray(startOfImageBytes)]);
  return { body, contentType };
}

function greyOf(width: number, height: number): Promise<Buffer> {
  const size = `${width}x${height}`;
  const known = greys.get(size);
  if (known) return known;
  if (greys.size >= mostGreys) greys.clear();
  const grey = sharp({ create: { width, height, channels: 3, background: '#808080' } })
    .jpeg({ quality: 1, optimiseCoding: true })
    .toBuffer();
  greys.set(size, grey);
  return grey;
}
