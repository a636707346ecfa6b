import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { imageFormat } from '../../../../../core/values/image-format.ts';
import { hasJpegEnd, inspectPhoto, readJpegHead } from '../../../../../workers/pdf/photos/inspect-photo.ts';

const picture = (width = 90, height = 60) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });

/** A JPEG whose EXIF contains a thumbnail, which is a JPEG with its own end marker. */
function withThumbnail(jpeg: Buffer, thumbnail: Buffer): Buffer {
  const segment = Buffer.concat([Buffer.from('Exif\0\0'), thumbnail]);
  const head = Buffer.from([0xff, 0xe1, (segment.length + 2) >> 8, (segment.length + 2) & 0xff]);
  return Buffer.concat([jpeg.subarray(0, 2), head, segment, jpeg.subarray(2)]);
}

let jpeg: Buffer;
beforeAll(async () => {
  jpeg = await picture().jpeg().toBuffer();
});

describe('inspectPhoto', () => {
  it.each(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)('accepts %s', async format => {
    const bytes = await picture().toFormat(format).toBuffer();
    expect(imageFormat(bytes)).toBe(format);
    expect(await inspectPhoto(bytes)).toEqual({ widthPx: 90, heightPx: 60 });
  });

  it('returns the size after EXIF rotation', async () => {
    const turned = await picture().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await inspectPhoto(turned)).toEqual({ widthPx: 60, heightPx: 90 });
  });

  it('accepts grey and CMYK JPEGs', async () => {
    expect(await inspectPhoto(await picture().greyscale().jpeg().toBuffer())).toEqual({
      widthPx: 90,
      heightPx: 60,
    });
    expect(await inspectPhoto(await picture().toColourspace('cmyk').jpeg().toBuffer())).toEqual({
      widthPx: 90,
      heightPx: 60,
    });
  });
});

describe('inspectPhoto rejects, with a reason,', () => {
  it.each([
    ['', 'the file is empty'],
    ['<!DOCTYPE html><html>', 'the file is a web page'],
    ['\ufeff\n <html><body>', 'the file is a web page'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'the file is an SVG drawing'],
    ['<?xml version="1.0"?><svg>', 'the file is an SVG drawing'],
    ['%PDF-1.7', 'the file is a PDF'],
    ['\0\0\0\x18ftypheic', 'the file is a HEIC photo; JPEG, PNG, WebP, AVIF and GIF can be printed'],
    [
      '\0\0\0\x18ftypavis\0\0\0\0avifavis',
      'the file is an AVIF animation; JPEG, PNG, WebP, AVIF and GIF can be printed',
    ],
    ['\0\0\0\x0cJXL \r\n\x87\n', 'the file is a JPEG XL photo; JPEG, PNG, WebP, AVIF and GIF can be printed'],
    ['II*\0\x08\0\0\0', 'the file is a TIFF file; JPEG, PNG, WebP, AVIF and GIF can be printed'],
    ['GIF90a', 'the file is not a photo'],
    ['{"error":"gone"}', 'the file is not a photo'],
  ])('%j: %s', async (text, message) => {
    await expect(inspectPhoto(Buffer.from(text))).rejects.toMatchObject({ name: 'PhotoUnusable', message });
  });

  it.each(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)('a truncated %s', async format => {
    const bytes = await picture(300, 200).toFormat(format).toBuffer();
    await expect(inspectPhoto(bytes.subarray(0, bytes.length >> 1))).rejects.toThrow(
      'the photo is cut short or damaged',
    );
    await expect(inspectPhoto(bytes.subarray(0, 24))).rejects.toThrow('the photo is cut short or damaged');
  });

  it('a JPEG that is truncated after its thumbnail', async () => {
    const whole = withThumbnail(await picture(400, 300).jpeg().toBuffer(), jpeg);
    expect(await inspectPhoto(whole)).toEqual({ widthPx: 400, heightPx: 300 });
    await expect(inspectPhoto(whole.subarray(0, whole.length - 2_000))).rejects.toThrow('cut short');
  });

  it('one pixel', async () => {
    await expect(inspectPhoto(await picture(1, 1).png().toBuffer())).rejects.toThrow(
      'the photo is too small to print (1 × 1 pixels)',
    );
  });

  it('more pixels than can be decoded safely, even in a small file', async () => {
    const bomb = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: '#fff' } })
      .png({ compressionLevel: 1 })
      .toBuffer();
    expect(bomb.length).toBeLessThan(3_000_000);
    await expect(inspectPhoto(bomb)).rejects.toThrow('the photo has 81 megapixels, more than 60');
  });

  it('an AVIF that its decoder would need half a gigabyte for', async () => {
    const bytes = await picture().avif().toBuffer();
    // The box of the picture's size: type, version and flags, width, height (ISO/IEC 23008-12 section 6.5.3).
    const size = bytes.indexOf('ispe') + 8;
    bytes.writeUInt32BE(4_600, size);
    bytes.writeUInt32BE(4_600, size + 4);
    await expect(inspectPhoto(bytes)).rejects.toThrow('the photo has 21 megapixels, more than 20');
  });

  it('a text with the signature of an AVIF', async () => {
    await expect(inspectPhoto(Buffer.from('\0\0\0\x18ftypavif and nothing more'))).rejects.toThrow(
      'cut short or damaged',
    );
  });
});

describe('readJpegHead', () => {
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#4a7' } });

  it.each([
    ['sequential', { progressive: false }],
    ['progressive', { progressive: true }],
    ['with optimised tables', { optimiseCoding: true }],
    ['without chroma subsampling', { chromaSubsampling: '4:4:4' }],
  ])('returns the size of a JPEG: %s', async (_, options) => {
    const bytes = await plain(123, 45).jpeg(options).toBuffer();
    expect(readJpegHead(bytes)).toMatchObject({ frame: { widthPx: 123, heightPx: 45 }, hasExif: false });
  });

  it('returns the size of grey and CMYK JPEGs', async () => {
    const frame = { widthPx: 70, heightPx: 80 };
    expect(readJpegHead(await plain(70, 80).greyscale().jpeg().toBuffer())).toMatchObject({ frame });
    expect(readJpegHead(await plain(70, 80).toColourspace('cmyk').jpeg().toBuffer())).toMatchObject({
      frame,
    });
  });

  it('detects EXIF, which may contain a rotation', async () => {
    const bytes = await plain(90, 60).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(readJpegHead(bytes)).toMatchObject({ hasExif: true });
  });

  it('ends for every input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), tail => {
        const head = readJpegHead(Buffer.from([0xff, 0xd8, 0xff, ...tail]));
        expect(head === undefined || head.scanAt < tail.length + 3).toBe(true);
      }),
    );
  });

  it('hasJpegEnd accepts an end marker that is followed by other data', async () => {
    const jpeg = await plain(90, 60).jpeg().toBuffer();
    expect(hasJpegEnd(Buffer.concat([jpeg, Buffer.from('trailer of a camera')]))).toBe(true);
    expect(hasJpegEnd(jpeg.subarray(0, -2))).toBe(false);
    expect(hasJpegEnd(Buffer.from([0xff, 0xd8, 0xff, 0xd9]))).toBe(false);
    expect(hasJpegEnd(Buffer.alloc(0))).toBe(false);
  });
});
