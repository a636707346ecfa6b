/** A photo server with real photos and every kind of failing photo. */
import sharp from 'sharp';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

export interface PhotoServer extends LoopbackServer {
  /** URL of a photo; each number is a different one. */
  photo(number: number): string;
  /** URL of another photo, whose response waits for the next `release`. */
  blocked(): string;
  release(): void;
}

/** @param fixed the photo for every number; default: a plain colour for each */
export async function startPhotoServer(fixed?: Buffer): Promise<PhotoServer> {
  const waiting: (() => void)[] = [];
  let blockedPhotos = 0;
  let releasedPhotos = 0;

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
      const body = fixed ?? (await photoOf(Number.parseInt(name, 10) || 0));
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(body);
    };
    /** Half of the image data and an end marker. */
    const answerCut = async () => {
      const body = await photoOf(7);
      response.writeHead(200).end(Buffer.concat([body.subarray(0, body.length >> 1), Buffer.from([0xff, 0xd9])]));
    };
    if (kind === 'photo') void answerPhoto();
    else if (kind === 'cut') void answerCut();
    else if (kind === 'blocked' && Number.parseInt(name, 10) <= releasedPhotos) void answerPhoto();
    else if (kind === 'blocked') waiting.push(() => void answerPhoto());
    else if (kind === 'text') response.writeHead(200, { 'content-type': 'image/jpeg' }).end('<svg/>, they say');
    else if (kind === 'huge') response.writeHead(200, { 'content-length': 10 ** 12 }).write('x'.repeat(65_536));
    else if (kind === 'slow') response.writeHead(200, { 'content-type': 'image/jpeg' }).write('x');
    else if (kind === 'loop') response.writeHead(302, { location: request.url }).end();
    else if (kind === 'away') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    else response.writeHead(404, { 'content-type': 'text/html' }).end('no such photo');
  });

  return {
    ...server,
    photo: number => `${server.origin}/photo/${number}.jpg`,
    blocked: () => `${server.origin}/blocked/${++blockedPhotos}.jpg`,
    release() {
      releasedPhotos = blockedPhotos;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}
