/** What is kept of one URL's photo, as one file: what is known about it in the first line, its cut variants behind. */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { readTouched, sha256, wholeFile, writeWhole } from './sealed-file.ts';

const Photo = z.object({
  /** sha256 of the original's bytes, in hex. */
  hash: z.string(),
  /** After EXIF rotation. */
  widthPx: z.int(),
  heightPx: z.int(),
  /** Until then its URL is taken to give the same photo; milliseconds since 1970. */
  freshUntil: z.number(),
});
export type KeptPhoto = z.infer<typeof Photo>;

/** A photo cut to a slot, ready for the page. */
export interface Variant {
  /** sha256 of `content`, in hex. */
  hash: string;
  content: Buffer;
}

export interface PhotoRecord {
  photo: KeptPhoto;
  /** By all that they depend on besides the photo. */
  variants: ReadonlyMap<string, Variant>;
}

const FirstLine = z.object({
  photo: Photo,
  variants: z.array(z.object({ key: z.string(), hash: z.string(), bytes: z.int() })),
});
type FirstLine = z.infer<typeof FirstLine>;

const lineEnd = 0x0a;

export async function writePhotoFile(path: string, { photo, variants }: PhotoRecord): Promise<void> {
  const listed = [...variants].map(([key, { hash, content }]) => ({ key, hash, bytes: content.length }));
  const line = JSON.stringify({ photo, variants: listed } satisfies FirstLine);
  await writeWhole(path, Buffer.from(`${line}\n`), ...[...variants.values()].map(({ content }) => content));
}

/** @returns undefined when the file is not there, or is damaged, and then it is gone */
export async function readPhotoFile(path: string): Promise<PhotoRecord | undefined> {
  const bytes = await readTouched(path, wholeFile);
  if (!bytes) return undefined;
  const headBytes = bytes.indexOf(lineEnd) + 1;
  const { data } = FirstLine.safeParse(parsed(bytes.toString('utf8', 0, headBytes)));
  const variants = data && variantsIn(bytes.subarray(headBytes), data.variants);
  if (data && variants) return { photo: data.photo, variants };
  await rm(path, { force: true });
  return undefined;
}

/** @returns undefined when one is not what was written, or there is more or less */
function variantsIn(bodies: Buffer, listed: FirstLine['variants']): Map<string, Variant> | undefined {
  const variants = new Map<string, Variant>();
  let at = 0;
  for (const { key, hash, bytes } of listed) {
    const content = bodies.subarray(at, at + bytes);
    if (sha256(content) !== hash) return undefined;
    variants.set(key, { hash, content });
    at += bytes;
  }
  return at === bodies.length ? variants : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
