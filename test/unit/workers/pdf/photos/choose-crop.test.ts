import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseCrop, type Pixels } from '../../../../../workers/pdf/photos/choose-crop.ts';

type Colour = readonly [red: number, green: number, blue: number];
const wall: Colour = [200, 198, 195];

/** A plain wall with a striped rectangle from `left` to `right` and `top` to `bottom`. */
function pictureOf(
  widthPx: number,
  heightPx: number,
  thing: { left: number; right: number; top: number; bottom: number },
  colours: readonly [Colour, Colour] = [
    [30, 90, 160],
    [240, 230, 60],
  ],
): Pixels {
  const data = new Uint8Array(widthPx * heightPx * 3);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const isThing = x >= thing.left && x < thing.right && y >= thing.top && y < thing.bottom;
      const stripe = colours[Math.floor(x / 20) % 2 === 0 ? 0 : 1];
      data.set(isThing ? stripe : wall, (y * widthPx + x) * 3);
    }
  }
  return { data, widthPx, heightPx };
}

describe('chooseCrop for a landscape that is too wide', () => {
  it('keeps the left part when the subject is there', () => {
    const { left, top } = chooseCrop(pictureOf(480, 320, { left: 0, right: 150, top: 60, bottom: 260 }), 320, 320);
    expect(left).toBe(0);
    expect(top).toBe(0);
  });

  it('keeps the right part when the subject is there', () => {
    const { left } = chooseCrop(pictureOf(480, 320, { left: 330, right: 480, top: 60, bottom: 260 }), 320, 320);
    expect(left).toBe(160);
  });

  it('keeps the middle when all parts are equal', () => {
    expect(chooseCrop(pictureOf(480, 320, { left: 0, right: 0, top: 0, bottom: 0 }), 320, 320)).toMatchObject({
      left: 80,
    });
    expect(chooseCrop(pictureOf(480, 320, { left: 140, right: 340, top: 0, bottom: 320 }), 320, 320)).toMatchObject({
      left: 80,
    });
  });

  it('keeps a face instead of the wall beside it', () => {
    const face: readonly [Colour, Colour] = [
      [224, 172, 138],
      [214, 160, 126],
    ];
    const { left } = chooseCrop(pictureOf(480, 320, { left: 20, right: 120, top: 100, bottom: 220 }, face), 240, 320);
    expect(left).toBeLessThan(40);
  });
});

it('chooseCrop for a portrait that is too high keeps the part with the subject', () => {
  const { left, top } = chooseCrop(pictureOf(320, 480, { left: 40, right: 280, top: 340, bottom: 480 }), 320, 320);
  expect(left).toBe(0);
  expect(top).toBe(160);
});

it('chooseCrop returns a part within the picture for every picture', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 0, max: 40 }),
      fc.boolean(),
      fc.infiniteStream(fc.nat(255)),
      (width, height, spare, isWider, bytes) => {
        const widthPx = width + (isWider ? spare : 0);
        const heightPx = height + (isWider ? 0 : spare);
        const data = Uint8Array.from({ length: widthPx * heightPx * 3 }, () => bytes.next().value);
        const { left, top } = chooseCrop({ data, widthPx, heightPx }, width, height);
        expect(Number.isInteger(left) && Number.isInteger(top)).toBe(true);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(top).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(widthPx);
        expect(top + height).toBeLessThanOrEqual(heightPx);
      },
    ),
    { numRuns: 60 },
  );
});
