/** A downloaded photo as a file: what is known about it in the first line, its bytes behind. */
import type { FileHandle } from 'node:fs/promises';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { readTouched, sha256, wholeFile, writeWhole } from './sealed-file.ts';

const About = z.object({
  /** sha256 of the photo's bytes, in hex. */
  hash: z.string(),
  widthPx: z.int(),
  heightPx: z.int(),
  /** Until then its URL is taken to give the same photo; milliseconds since 1970. */
  freshUntil: z.number(),
});
export type OriginalFile = z.infer<typeof About>;

const HeadLine = About.extend({ bytes: z.int() });

/** Longer than any first line is. */
const headBytes = 256;
const lineEnd = 0x0a;

export async function writeOriginal(path: string, about: OriginalFile, bytes: Buffer): Promise<void> {
  const head = JSON.stringify({ ...about, bytes: bytes.length } satisfies z.input<typeof HeadLine>);
  await writeWhole(path, Buffer.from(`${head}\n`), bytes);
}

/** @returns undefined when the file is not there, or not whole */
export async function readAbout(path: string): Promise<OriginalFile | undefined> {
  return await readTouched(path, async (file, size) => {
    const head = await startOf(file);
    const at = head.indexOf(lineEnd);
    const { data } = HeadLine.safeParse(parsed(head.toString('utf8', 0, Math.max(0, at))));
    return data && size === at + 1 + data.bytes ? About.parse(data) : undefined;
  });
}

/** @returns the photo's bytes; undefined when they are not those of the hash, and then the file is gone */
export async function readOriginal(path: string, hash: string): Promise<Buffer | undefined> {
  const content = await readTouched(path, wholeFile);
  const bytes = content?.subarray(content.indexOf(lineEnd) + 1);
  if (bytes && sha256(bytes) === hash) return bytes;
  // A damaged file would go on counting as there.
  await rm(path, { force: true });
  return undefined;
}

async function startOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
