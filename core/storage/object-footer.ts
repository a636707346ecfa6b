/**
 * What a stored file carries behind its content: what it is, how much it is, and a mark that it is whole. One file
 * holds it all, so nothing can come apart; PDF readers do not mind what follows the end of a document.
 */
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import type { StoredObject } from './store.ts';

const Footer = z.object({ size: z.int().min(0), contentType: z.string(), sha256: z.string().length(64) });

const mark = 'portal1\n';
/** Four hexadecimal digits for the length of the JSON, then the mark. */
const tailBytes = 4 + mark.length;

/** No footer is longer. */
const mostBytes = 1_024;

export function footerOf(object: StoredObject): Buffer {
  const json = Buffer.from(`\n${JSON.stringify(Footer.parse(object))}`);
  if (json.length + tailBytes > mostBytes) throw new TypeError('the content type is too long');
  return Buffer.concat([json, Buffer.from(json.length.toString(16).padStart(4, '0') + mark)]);
}

export interface FileEnd {
  /** What is known of the content. */
  object: StoredObject;
  /** The last bytes of the file, footer included; all of it when it has `wholeBytes` or fewer. */
  bytes: Buffer;
  isWhole: boolean;
}

/**
 * @param wholeBytes a file of no more than these is read as a whole
 * @throws Error when the file is not one of ours, or cut short
 */
export async function readEnd(file: FileHandle, wholeBytes = 0): Promise<FileEnd> {
  const { size } = await file.stat();
  const bytes = await readLast(file, size, size <= wholeBytes ? size : Math.min(size, mostBytes));
  return { object: footerIn(bytes, size), bytes, isWhole: bytes.length === size };
}

function footerIn(end: Buffer, fileSize: number): StoredObject {
  const tail = end.subarray(-tailBytes).toString('latin1');
  const jsonBytes = Number.parseInt(tail.slice(0, 4), 16);
  if (!tail.endsWith(mark) || Number.isNaN(jsonBytes) || jsonBytes + tailBytes > end.length)
    throw new Error('a stored file has no footer: it is cut short');
  const json = end.subarray(end.length - tailBytes - jsonBytes, end.length - tailBytes);
  const footer = Footer.parse(JSON.parse(json.toString()));
  if (footer.size !== fileSize - tailBytes - jsonBytes)
    throw new Error('a stored file has another size than it says');
  return footer;
}

/** Fewer bytes than asked for when the file was cut meanwhile. */
async function readLast(file: FileHandle, fileSize: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, fileSize - length + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
