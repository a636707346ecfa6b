/** Serves the sandbox's photos on loopback, so that samples take the way of a real request, in any size asked for. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const folder = fileURLToPath(new URL('../../../sandbox/photos/', import.meta.url));

export interface SamplePhotos {
  origin: string;
  port: number;
  close(): Promise<void>;
}

export async function serveSamplePhotos(): Promise<SamplePhotos> {
  const server = createServer((request, response) => {
    photoOf(request.url ?? '').then(
      body =>
        response.writeHead(200, { 'content-type': 'image/jpeg', 'cache-control': 'no-store' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  const port = await listening(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** /photos/07.jpg as it is; /photos/07.jpg?size=2400x600 as a panorama, or as small as a photo from a messenger. */
async function photoOf(url: string): Promise<Buffer> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const photo = await readFile(path.join(folder, path.basename(pathname)));
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(searchParams.get('size') ?? '') ?? [];
  if (width === undefined || height === undefined) return photo;
  return await sharp(photo).resize(Number(width), Number(height), { fit: 'cover' }).jpeg().toBuffer();
}
