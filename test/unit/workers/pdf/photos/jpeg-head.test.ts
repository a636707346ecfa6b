import fc from 'fast-check';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { hasJpegEnd, readJpegHead } from '../../../../../workers/pdf/photos/inspect-photo.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#4a7' } });

it.each([
  ['sequential', { progressive: false }],
  ['progressive', { progressive: true }],
  ['with tables of its own', { optimiseCoding: true }],
  ['in full colour', { chromaSubsampling: '4:4:4' }],
])('a JPEG that is %s tells its size', async (_, options) => {
  const bytes = await picture(123, 45).jpeg(options).toBuffer();
  expect(readJpegHead(bytes)).toMatchObject({ frame: { widthPx: 123, heightPx: 45 }, hasExif: false });
});

it('a grey and a CMYK one do too', async () => {
  const frame = { widthPx: 70, heightPx: 80 };
  expect(readJpegHead(await picture(70, 80).greyscale().jpeg().toBuffer())).toMatchObject({ frame });
  expect(readJpegHead(await picture(70, 80).toColourspace('cmyk').jpeg().toBuffer())).toMatchObject({
    frame,
  });
});

it('one that may have to be turned says so', async () => {
  const bytes = await picture(90, 60).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(readJpegHead(bytes)).toMatchObject({ hasExif: true });
});

it('whatever else comes is told from it, or at least ends', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), tail => {
      const head = readJpegHead(Buffer.from([0xff, 0xd8, 0xff, ...tail]));
      expect(head === undefined || head.scanAt < tail.length + 3).toBe(true);
    }),
  );
});

it('an end marker followed by other data still ends a JPEG', async () => {
  const jpeg = await picture(90, 60).jpeg().toBuffer();
  expect(hasJpegEnd(Buffer.concat([jpeg, Buffer.from('trailer of a camera')]))).toBe(true);
  expect(hasJpegEnd(jpeg.subarray(0, -2))).toBe(false);
  expect(hasJpegEnd(Buffer.from([0xff, 0xd8, 0xff, 0xd9]))).toBe(false);
  expect(hasJpegEnd(Buffer.alloc(0))).toBe(false);
});
