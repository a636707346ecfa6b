import { expect, it } from 'vitest';
import {
  lowerQuality,
  type PhotoQuality,
  qualities,
  screenQuality,
} from '../../../../../workers/pdf/photos/photo-quality.ts';

it('lowers JPEG quality before resolution when the PDF is slightly too large', () => {
  expect(lowerQuality(screenQuality, 0.8)).toMatchObject({ dpi: 150, jpegQuality: 60 });
});

it('skips steps when the PDF is much too large', () => {
  expect(lowerQuality(screenQuality, 0.31)).toMatchObject({ dpi: 96 });
});

it('is lower at every step, and ends', () => {
  const qualities: PhotoQuality[] = [];
  for (let quality: PhotoQuality | undefined = screenQuality; quality; quality = lowerQuality(quality, 0.99))
    qualities.push(quality);
  expect(qualities.length).toBeGreaterThan(5);
  for (const [at, quality] of qualities.slice(1).entries()) {
    expect(quality.dpi * quality.jpegQuality).toBeLessThan(
      (qualities[at]?.dpi ?? 0) * (qualities[at]?.jpegQuality ?? 0),
    );
  }
});

it('returns the lowest quality when no step is enough', () => {
  expect(lowerQuality(screenQuality, -1)).toMatchObject({ dpi: 50 });
});

it('of print lowers to that of screens before anything else is visible', () => {
  expect(qualities.print).toMatchObject({ dpi: 300 });
  expect(lowerQuality(qualities.print, 0.5)).toMatchObject({ dpi: 200 });
  expect(lowerQuality(qualities.print, 0.3)).toMatchObject({ dpi: 150, jpegQuality: 75 });
});
