import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cropSize, pixelsOf } from '../../../../../workers/pdf/photos/crop-photos.ts';

const slot = (widthMm: number, heightMm: number) =>
  ({ name: 'a', widthMm, heightMm, crop: 'attention' }) as const;

describe('pixels of a slot', () => {
  it.each([
    [210, 1240],
    [297, 1754],
    [25.4, 150],
    [59, 348],
    [0.01, 1],
  ])('%f mm are %i at 150 dpi', (mm, px) => {
    expect(pixelsOf(mm)).toBe(px);
  });
});

describe('the size of a fitted photo', () => {
  it('is the slot’s at 150 dpi for a photo that has as much', () => {
    expect(cropSize(slot(210, 120), { widthPx: 4_000, heightPx: 3_000 })).toMatchObject({
      widthPx: 1_240,
      heightPx: 709,
    });
  });

  it('is what a smaller photo has, in the slot’s shape', () => {
    expect(cropSize(slot(210, 105), { widthPx: 620, heightPx: 900 })).toMatchObject({
      widthPx: 620,
      heightPx: 310,
    });
  });

  it('never exceeds photo or slot and keeps the slot’s shape to a pixel', () => {
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

  it('looks for the subject only where a part worth looking at is cut away', () => {
    const photo = { widthPx: 1_920, heightPx: 1_280 };
    expect(cropSize(slot(60, 40), photo).crop).toBe('centre');
    expect(cropSize(slot(59, 41), photo).crop).toBe('centre');
    expect(cropSize(slot(210, 120), photo).crop).toBe('attention');
    expect(cropSize(slot(40, 60), photo).crop).toBe('attention');
  });

  it('looks at no strip so long that decoding it whole takes much memory', () => {
    expect(cropSize(slot(210, 171), { widthPx: 8_000, heightPx: 1_280 }).crop).toBe('attention');
    expect(cropSize(slot(210, 171), { widthPx: 40_000, heightPx: 1_280 }).crop).toBe('centre');
  });

  it('says how large the whole photo is at that scale', () => {
    expect(cropSize(slot(210, 171), { widthPx: 1_920, heightPx: 1_280 })).toMatchObject({
      widthPx: 1_240,
      heightPx: 1_010,
      whole: { widthPx: 1_515, heightPx: 1_010 },
    });
  });
});
