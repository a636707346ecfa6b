/** The cache file of one photo URL: a JSON line with the photo's properties and a list of its crops, then their bytes. */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { readAndTouch, sha256, writeAtomically } from './atomic-file.ts';

const CachedPhoto = z.object({
  /** SHA-256 of the original's bytes in hex. */
  hash: z.string(),
  /** After EXIF rotation. */
  widthPx: z.int(),
  heightPx: z.int(),
  /** Until then the URL is assumed to return the same photo; ms since the epoch. */
  freshUntil: z.number(),
});
export type CachedPhoto = z.infer<typeof CachedPhoto>;

/** A photo cropped to a slot, ready for the page. */
export interface Crop {
  /** SHA-256 of `content` in hex. */
  hash: string;
  content: Buffer;
}

export interface PhotoRecord {
  photo: CachedPhoto;
  /** By everything that they depend on besides the photo. */
  crops: ReadonlyMap<string, Crop>;
}

const FirstLine = z.object({
  photo: CachedPhoto,
  variants: z.array(z.object({ key: z.string(), hash: z.string(), bytes: z.int() })),
});
type FirstLine = z.infer<typeof FirstLine>;

export async function writePhotoFile(path: string, { photo, crops }: PhotoRecord): Promise<void> {
  const variants = [...crops].map(([key, { hash, content }]) => ({ key, hash, bytes: content.length }));
  const line = JSON.stringify({ photo, variants } satisfies FirstLine);
  await writeAtomically(path, Buffer.from(`${line}\n`), ...[...crops.values()].map(({ content }) => content));
}

/** @returns undefined when the file does not exist or is damaged; deletes a damaged file */
export async function readPhotoFile(path: string): Promise<PhotoRecord | undefined> {
  const bytes = await readAndTouch(path);
  if (!bytes) return undefined;
  const headBytes = bytes.indexOf('\n') + 1;
  const { data } = FirstLine.safeParse(parsed(bytes.toString('utf8', 0, headBytes)));
  const crops = data && cropsIn(bytes.subarray(headBytes), data.variants);
  if (data && crops) return { photo: data.photo, crops };
  await rm(path, { force: true });
  return undefined;
}

/** @returns undefined when a hash or the total length differs */
function cropsIn(contents: Buffer, listed: FirstLine['variants']): Map<string, Crop> | undefined {
  const crops = new Map<string, Crop>();
  let at = 0;
  for (const { key, hash, bytes } of listed) {
    const content = contents.subarray(at, at + bytes);
    if (sha256(content) !== hash) return undefined;
    crops.set(key, { hash, content });
    at += bytes;
  }
  return at === contents.length ? crops : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
