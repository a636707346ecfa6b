/** Accepts images as the form field `file` and serves them. */
import { createHash } from 'node:crypto';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Collection } from '../kit/collection.ts';
import { ProjectError } from './project-error.ts';

export interface Image {
  id: string;
  url: string;
  content_type: string;
  bytes: number;
  sha256: string;
  /** Base64. */
  content: string;
}

const acceptedTypes = ['image/jpeg', 'image/png', 'image/webp'];

export async function addImages(
  app: FastifyInstance,
  context: { images: Collection<Image>; maxBytes: () => number },
): Promise<void> {
  const { images, maxBytes } = context;
  await app.register(multipart, { limits: { fileSize: 50_000_000 } });

  app.post('/images', async (request, reply) => {
    const file = await request.file();
    if (file?.fieldname !== 'file')
      throw new ProjectError('validation_failed', 'file is required', { file: 'is required' });
    const bytes = await file.toBuffer();
    if (bytes.length > maxBytes()) throw new ProjectError('file_too_large', `The file exceeds ${maxBytes()} bytes`);
    if (!acceptedTypes.includes(file.mimetype)) throw new ProjectError('unsupported_file', 'Only JPEG, PNG and WebP');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = sha256.slice(0, 16);
    const url = `${request.protocol}://${request.host}${request.url.split('?')[0]}/${id}`;
    const content = bytes.toString('base64');
    images.put({ id, url, content_type: file.mimetype, bytes: bytes.length, sha256, content });
    return reply.code(201).send({ url });
  });

  app.get('/images/:id', (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const image = images.get(request.params.id);
    if (!image) throw new ProjectError('not_found', 'No such image');
    return reply.type(image.content_type).send(Buffer.from(image.content, 'base64'));
  });
}
