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

export function footerOf(object: StoredObject): Buffer {
  const json = Buffer.from(`\n${JSON.stringify(Footer.parse(object))}`);
  return Buffer.concat([json, Buffer.from(json.length.toString(16).padStart(4, '0') + mark)]);
}

/** @throws Error when the file is not one of ours, or cut short */
export async function readFooter(file: FileHandle): Promise<StoredObject> {
  const { size: fileSize } = await file.stat();
  const tail = await readAt(file, fileSize - tailBytes, tailBytes);
  const jsonBytes = Number.parseInt(tail.slice(0, 4), 16);
  if (!tail.endsWith(mark) || Number.isNaN(jsonBytes))
    throw new Error('a stored file has no footer: it is cut short');
  const footer = Footer.parse(JSON.parse(await readAt(file, fileSize - tailBytes - jsonBytes, jsonBytes)));
  if (footer.size !== fileSize - tailBytes - jsonBytes)
    throw new Error('a stored file has another size than it says');
  return footer;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  if (position < 0) return '';
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}
