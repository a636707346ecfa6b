import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cropSize, pixelsOf } from '../../../../../workers/pdf/photos/crop-photos.ts';

const slot = (widthMm: number, heightMm: number) => ({ name: 'a', widthMm, heightMm, crop: 'attention' }) as const;

describe('pixelsOf', () => {
  it.each([
    [210, 1240],
    [297, 1754],
    [25.4, 150],
    [59, 348],
    [0.01, 1],
  ])('converts %f mm to %i pixels at 150 dpi', (mm, px) => {
    expect(pixelsOf(mm)).toBe(px);
  });
});

describe('cropSize', () => {
  it('is that of the slot at 150 dpi when the photo has enough pixels', () => {
    expect(cropSize(slot(210, 120), { widthPx: 4_000, heightPx: 3_000 })).toMatchObject({
      widthPx: 1_240,
      heightPx: 709,
    });
  });

  it('uses the pixels of a smaller photo, in the shape of the slot', () => {
    expect(cropSize(slot(210, 105), { widthPx: 620, heightPx: 900 })).toMatchObject({
      widthPx: 620,
      heightPx: 310,
    });
  });

  it('never exceeds photo or slot and keeps the shape of the slot to a pixel', () => {
    const side = fc.integer({ min: 32, max: 10_000 });
    const mm = fc.integer({ min: 10, max: 300 });
    fc.assert(
      fc.property(side, side, mm, mm, (widthPx, heightPx, widthMm, heightMm) => {
        const size = cropSize(slot(widthMm, heightMm), { widthPx, heightPx });
        expect(size.widthPx).toBeLessThanOrEqual(Math.min(widthPx, pixelsOf(widthMm)));
        expect(size.heightPx).toBeLessThanOrEqual(Math.min(heightPx, pixelsOf(heightMm)));
        const exactHeight = (size.widthPx * pixelsOf(heightMm)) / pixelsOf(widthMm);
        const onePixel = Math.max(1, pixelsOf(heightMm) / pixelsOf(widthMm));
        expect(Math.abs(size.heightPx - exactHeight)).toBeLessThanOrEqual(onePixel);
      }),
    );
  });

  it('chooses the position only when a noticeable part is cut away', () => {
    const photo = { widthPx: 1_920, heightPx: 1_280 };
    expect(cropSize(slot(60, 40), photo).crop).toBe('centre');
    expect(cropSize(slot(59, 41), photo).crop).toBe('centre');
    expect(cropSize(slot(210, 120), photo).crop).toBe('attention');
    expect(cropSize(slot(40, 60), photo).crop).toBe('attention');
  });

  it('crops a very long photo at its centre instead of decoding it whole', () => {
    expect(cropSize(slot(210, 171), { widthPx: 8_000, heightPx: 1_280 }).crop).toBe('attention');
    expect(cropSize(slot(210, 171), { widthPx: 40_000, heightPx: 1_280 }).crop).toBe('centre');
  });

  it('contains the size of the whole photo at that scale', () => {
    expect(cropSize(slot(210, 171), { widthPx: 1_920, heightPx: 1_280 })).toMatchObject({
      widthPx: 1_240,
      heightPx: 1_010,
      whole: { widthPx: 1_515, heightPx: 1_010 },
    });
  });
});
