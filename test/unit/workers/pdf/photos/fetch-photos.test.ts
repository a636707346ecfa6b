import { describe, expect, it } from 'vitest';
import { freshMs } from '../../../../../workers/pdf/photos/fetch-photos.ts';

describe('freshMs', () => {
  it.each([
    [undefined, 600_000],
    ['public, max-age=31536000, immutable', 600_000],
    ['max-age=60', 60_000],
    ['Max-Age="30"', 30_000],
    ['max-age=0', 0],
    ['no-store', 0],
    ['private, No-Cache', 0],
  ])('returns for Cache-Control %j %i ms', (control, ms) => {
    expect(freshMs(control === undefined ? {} : { 'cache-control': control })).toBe(ms);
  });
});
