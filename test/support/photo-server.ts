/** A photo host of the tests' own: real photos, and every way in which a photo cannot be had. */
import sharp from 'sharp';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

export interface PhotoServer extends LoopbackServer {
  /** A photo of its own for each number. */
  photo(number: number): string;
  /** Answers nothing until the test lets it go. */
  held(): string;
  release(): void;
}

/** @param every the photo for every number; a colour of its own for each unless given */
export async function startPhotoServer(every?: Buffer): Promise<PhotoServer> {
  const held: (() => void)[] = [];
  let releasing = false;

  const photoOf = (number: number): Promise<Buffer> =>
    sharp({
      create: {
        width: 640,
        height: 427,
        channels: 3,
        background: { r: (number * 53) % 256, g: (number * 97) % 256, b: (number * 193) % 256 },
      },
    })
      .jpeg()
      .toBuffer();

  const server = await startLoopbackServer((request, response) => {
    const [, kind = '', name = ''] = (request.url ?? '').split('/');
    const answerPhoto = async () => {
      const body = every ?? (await photoOf(Number.parseInt(name, 10) || 0));
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(body);
    };
    if (kind === 'photo') void answerPhoto();
    else if (kind === 'held' && releasing) void answerPhoto();
    else if (kind === 'held') held.push(() => void answerPhoto());
    else if (kind === 'text')
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<svg/>, they say');
    else if (kind === 'huge')
      response.writeHead(200, { 'content-length': 10 ** 12 }).write('x'.repeat(65_536));
    else if (kind === 'slow') response.writeHead(200, { 'content-type': 'image/jpeg' }).write('x');
    else if (kind === 'loop') response.writeHead(302, { location: request.url }).end();
    else if (kind === 'away') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    else response.writeHead(404, { 'content-type': 'text/html' }).end('no such photo');
  });

  return {
    ...server,
    photo: number => `${server.origin}/photo/${number}.jpg`,
    held: () => `${server.origin}/held/7.jpg`,
    release() {
      releasing = true;
      for (const answer of held.splice(0)) answer();
    },
  };
}
