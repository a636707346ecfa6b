/** A photo host on loopback with any number of different photos, derived from the sandbox's photos without re-encoding. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';

const folder = path.join(import.meta.dirname, '..', '..', 'sandbox', 'photos');

/** The changed entries of the quantisation table: the lowest frequencies, which resizing keeps. */
const changedEntries = [1, 2, 3, 4, 5];

export interface PhotoHost {
  origin: string;
  close(): Promise<void>;
}

/** Serves `/photos/07.jpg?v=…`; each `v` is a different photo, with all pixels changed. */
export async function startPhotoHost(): Promise<PhotoHost> {
  const files = new Map<string, Promise<Buffer>>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    const name = path.basename(pathname);
    const file = files.get(name) ?? readFile(path.join(folder, name));
    files.set(name, file);
    const { head, rest } = variantOf(await file, searchParams.get('v') ?? '');
    response.cork();
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': head.length + rest.length });
    response.write(head);
    response.end(rest);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the photo host has no TCP port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () => new Promise(resolve => server.close(() => resolve())),
  };
}

/**
 * The same compressed data with a slightly different quantisation table (ITU-T T.81, B.2.4.1), which changes every pixel.
 * Copies only the bytes up to the table.
 */
function variantOf(jpeg: Buffer, variant: string): { head: Buffer; rest: Buffer } {
  const table = jpeg.indexOf(Buffer.from([0xff, 0xdb])) + 5;
  const end = table + changedEntries.length + 1;
  const head = Buffer.from(jpeg.subarray(0, end));
  const hash = createHash('sha256').update(variant).digest();
  changedEntries.forEach((entry, at) => {
    head[table + entry] = (head[table + entry] ?? 1) + ((hash[at] ?? 0) % 8);
  });
  return { head, rest: jpeg.subarray(end) };
}
