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

/** Pixels to a side: the page says how large it is printed, and the PDF gets the photo's own size with the photo. */
const side = 16;

let grey: Promise<Buffer> | undefined;

/** @param photos by the URL that the page asks for; so are the answers */
export async function standIns(photos: ReadonlyMap<string, CutPhoto>): Promise<Map<string, Asset>> {
  grey ??= sharp({ create: { width: side, height: side, channels: 3, background: '#808080' } })
    .jpeg({ quality: 1, optimiseCoding: true })
    .toBuffer();
  const picture = await grey;
  return new Map([...photos].map(([url, photo]) => [url, standIn(photo, picture)]));
}

function standIn({ hash, contentType }: CutPhoto, picture: Buffer): Asset {
  const text = Buffer.from(standsFor + hash);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(length.length + text.length);
  const start = picture.subarray(0, startOfImageBytes);
  const body = Buffer.concat([start, comment, length, text, picture.subarray(startOfImageBytes)]);
  return { body, contentType };
}
