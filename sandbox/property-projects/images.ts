/** Images, uploaded as a form's `file` and served again. */
import { createHash } from 'node:crypto';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Collection } from '../kit/collection.ts';
import { ProjectRefusal } from './refusal.ts';

export interface Image {
  id: string;
  url: string;
  content_type: string;
  bytes: number;
  sha256: string;
}

const takenTypes = ['image/jpeg', 'image/png', 'image/webp'];

/** @param contents the images' bytes by their ids */
export async function addImages(
  app: FastifyInstance,
  parts: {
    images: Collection<Image>;
    contents: Map<string, Buffer>;
    maxBytes: () => number;
  },
): Promise<void> {
  const { images, contents, maxBytes } = parts;
  await app.register(multipart, { limits: { fileSize: 50_000_000 } });

  app.post('/images', async (request, reply) => {
    const file = await request.file();
    if (file?.fieldname !== 'file')
      throw new ProjectRefusal('validation_failed', 'file is required', { file: 'is required' });
    const bytes = await file.toBuffer();
    if (bytes.length > maxBytes())
      throw new ProjectRefusal('file_too_large', `The file exceeds ${maxBytes()} bytes`);
    if (!takenTypes.includes(file.mimetype))
      throw new ProjectRefusal('unsupported_file', 'Only JPEG, PNG and WebP');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = sha256.slice(0, 16);
    const url = `${request.protocol}://${request.host}${request.url.split('?')[0]}/${id}`;
    images.put({ id, url, content_type: file.mimetype, bytes: bytes.length, sha256 });
    contents.set(id, bytes);
    return reply.code(201).send({ url });
  });

  app.get('/images/:id', (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const image = images.get(request.params.id);
    const bytes = contents.get(request.params.id);
    if (!image || !bytes) throw new ProjectRefusal('not_found', 'No such image');
    return reply.type(image.content_type).send(bytes);
  });
}
