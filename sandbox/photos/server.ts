/**
 * Serves photos of properties and portraits of agents, as a portal's image host does. The files are renderings of
 * three-dimensional scenes, made for this project; no real place or person is shown.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyPluginAsync } from 'fastify';

const folder = import.meta.dirname;

const photos: FastifyPluginAsync = async app => {
  app.get<{ Params: { name: string } }>('/:name', async (request, reply) => {
    const names = await readdir(folder);
    const { name } = request.params;
    if (!name.endsWith('.jpg') || !names.includes(name)) return reply.code(404).send({ error: 'no such photo' });
    return reply
      .type('image/jpeg')
      .header('cache-control', 'public, max-age=3600')
      .send(await readFile(path.join(folder, name)));
  });
};

export default photos;
