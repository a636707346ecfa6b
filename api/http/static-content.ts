/** Content that does not change while the process runs: compressed once, with an entity tag. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { matchesEtag } from './request-headers.ts';

const encoders: readonly (readonly [encoding: string, encode: (body: Buffer) => Promise<Buffer>])[] = [
  // Higher levels take seconds for a megabyte and save little.
  ['br', body => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ['gzip', body => promisify(gzip)(body)],
];

/** @returns sends the content, or 304 */
export function staticContent(contentType: string, body: Buffer, headers: Readonly<Record<string, string>> = {}) {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  const encoded = new Map<string, Promise<Buffer>>();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.headers({ etag: `W/${etag}`, vary: 'accept-encoding', 'cache-control': 'no-cache', ...headers });
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const accepted = new Negotiator(request).encodings(encoders.map(([encoding]) => encoding));
    const [encoding, encode] = encoders.find(([each]) => accepted.includes(each)) ?? [];
    reply.type(contentType);
    if (encoding === undefined || encode === undefined) return reply.send(body);
    const content = encoded.get(encoding) ?? encode(body);
    encoded.set(encoding, content);
    return reply.header('content-encoding', encoding).send(await content);
  };
}

type Content = ReturnType<typeof staticContent>;

/** @param open called at the first request */
export function addContent(app: FastifyInstance, url: string, open: () => Promise<Content>): void {
  let content: Promise<Content> | undefined;
  app.get(url, async (request, reply) => {
    content ??= open();
    return (await content)(request, reply);
  });
}

export const script = async (file: string | URL): Promise<Content> =>
  staticContent('text/javascript; charset=utf-8', await readFile(file));
