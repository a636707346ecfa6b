import { describe, expect, it } from 'vitest';
import { reusableUntil } from '../../../../workers/pdf/print-brochure.ts';

const now = Date.parse('2026-01-31T08:00:00Z');
const plain = { trackLinks: false, brand: undefined };
const fresh = { faults: [], mapFaults: [], freshUntil: now + 1 };
const fault = { pointer: '/list/0/photo/0', detail: 'The photo could not be loaded.', transient: true };

describe('reusableUntil', () => {
  it('returns when the first photo may have changed', () => {
    expect(reusableUntil(plain, { ...fresh, freshUntil: now + 60_000 }, now)).toEqual(new Date(now + 60_000));
  });

  it.each([
    ['a photo whose server forbids caching', plain, { ...fresh, freshUntil: now }],
    ['a photo that is no longer fresh', plain, { ...fresh, freshUntil: now - 1 }],
    ['a missing photo', plain, { ...fresh, faults: [fault] }],
    ['tracked links', { ...plain, trackLinks: true }, fresh],
    ['an additional brand', { ...plain, brand: 'northline' }, fresh],
  ])('returns undefined for %s', (_, payload, photos) => {
    expect(reusableUntil(payload, photos, now)).toBeUndefined();
  });
});
