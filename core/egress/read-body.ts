/** Reads a response body with a limit in bytes, counted as received and again after decompression. */
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EgressError } from './egress-error.ts';

/** Some servers compress although the request asks for `identity`. */
const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/**
 * Destroys a rejected body, which ends its transfer.
 * @throws EgressError `too-large` or `encoding`; errors of the stream
 */
export async function readBody(
  body: Readable,
  headers: IncomingHttpHeaders,
  maxBytes: number,
  onBytes?: (count: number) => void,
): Promise<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw discarding(body, tooLarge(maxBytes));
  if (encoding === 'identity') return await collect(body, maxBytes, onBytes);
  if (isDecodable(encoding)) return await collect(decoded(body, decoders[encoding]()), maxBytes, onBytes);
  throw discarding(body, new EgressError('encoding', 'the server compressed its answer in an unknown way'));
}

/** A stream destroyed before its end emits an error, which would stop the process without a listener. */
function discarding(body: Readable, error: EgressError): EgressError {
  body.on('error', () => {}).destroy();
  return error;
}

function isDecodable(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

function decoded<T extends Readable & NodeJS.WritableStream>(body: Readable, decoder: T): T {
  // The decoder emits the pipeline's errors too.
  pipeline(body, decoder, () => {});
  return decoder;
}

async function collect(stream: Readable, maxBytes: number, onBytes?: (count: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    onBytes?.(bytes.length);
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(maxBytes: number): EgressError {
  const limit = maxBytes < 1_000_000 ? `${Math.ceil(maxBytes / 1_000)} kB` : `${Math.ceil(maxBytes / 1_000_000)} MB`;
  return new EgressError('too-large', `the file is larger than ${limit}`);
}
