/** Reads a response body within a bound of bytes, counted as they come and again after decompression. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EgressRefused } from './egress-refused.ts';

/** Asked for plain bytes, some servers compress all the same. */
const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/**
 * A body that is refused is destroyed, so that nothing more of it is received.
 * @throws EgressRefused `too-large` or `encoding`; stream errors as they are
 */
export async function readBody(
  body: Readable,
  headers: IncomingHttpHeaders,
  maxBytes: number,
): Promise<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw discarding(body, tooLarge(maxBytes));
  if (encoding === 'identity') return await collect(body, maxBytes);
  if (isDecodable(encoding)) return await collect(decoded(body, decoders[encoding]()), maxBytes);
  throw discarding(body, new EgressRefused('encoding', 'the server compressed its answer in an unknown way'));
}

/** A stream destroyed before its end reports an error, which here is wanted and would stop the process unheard. */
function discarding(body: Readable, refusal: EgressRefused): EgressRefused {
  body.on('error', () => {}).destroy();
  return refusal;
}

function isDecodable(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

function decoded<T extends Readable & NodeJS.WritableStream>(body: Readable, decoder: T): T {
  // The pipeline's errors reach whoever reads the decoder; its callback has nothing to add.
  pipeline(body, decoder, () => {});
  return decoder;
}

async function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(maxBytes: number): EgressRefused {
  const bound =
    maxBytes < 1_000_000 ? `${Math.ceil(maxBytes / 1_000)} kB` : `${Math.ceil(maxBytes / 1_000_000)} MB`;
  return new EgressRefused('too-large', `the file is larger than ${bound}`);
}
