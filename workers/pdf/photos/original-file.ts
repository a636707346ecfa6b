/** A downloaded photo as a file: what is known about it in the first line, its bytes behind. */
import { type FileHandle, rm } from 'node:fs/promises';
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
const mostHeadBytes = 256;
const lineEnd = 0x0a;

export async function writeOriginal(path: string, about: OriginalFile, bytes: Buffer): Promise<void> {
  const head = JSON.stringify({ ...about, bytes: bytes.length } satisfies z.input<typeof HeadLine>);
  await writeWhole(path, Buffer.from(`${head}\n`), bytes);
}

/** @returns undefined when the file is not there, or not whole */
export async function readAbout(path: string): Promise<OriginalFile | undefined> {
  return await readTouched(path, async (file, size) => {
    const { about, headBytes } = headOf(await startOf(file));
    return about && size === headBytes + about.bytes ? About.parse(about) : undefined;
  });
}

/** @returns the photo's bytes; undefined when they are another photo's, or damaged, and then the file is gone */
export async function readOriginal(path: string, hash: string): Promise<Buffer | undefined> {
  const content = await readTouched(path, wholeFile);
  if (!content) return undefined;
  const { about, headBytes } = headOf(content);
  const bytes = content.subarray(headBytes);
  if (about && sha256(bytes) === about.hash) return about.hash === hash ? bytes : undefined;
  // A damaged file would go on counting as there.
  await rm(path, { force: true });
  return undefined;
}

/** What the first line says, and how long it is with its end; nothing when it is not one of ours. */
function headOf(content: Buffer): { about: z.infer<typeof HeadLine> | undefined; headBytes: number } {
  const headBytes = content.subarray(0, mostHeadBytes).indexOf(lineEnd) + 1;
  const { data } = HeadLine.safeParse(parsed(content.toString('utf8', 0, headBytes)));
  return { about: data, headBytes };
}

async function startOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mostHeadBytes), 0, mostHeadBytes, 0);
  return buffer.subarray(0, bytesRead);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
