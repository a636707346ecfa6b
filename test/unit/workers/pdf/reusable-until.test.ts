/** For how long a brochure answers identical requests. */
import { describe, expect, it } from 'vitest';
import { reusableUntil } from '../../../../workers/pdf/print-brochure.ts';

const now = Date.parse('2026-01-31T08:00:00Z');
const plain = { trackLinks: false, brand: undefined };
const fresh = { faults: [], freshUntil: now + 1 };
const fault = { pointer: '/list/0/photo/0', detail: 'The photo could not be had.', transient: true };

describe('a brochure answers identical requests', () => {
  it('until the first of its photos may have changed', () => {
    expect(reusableUntil(plain, { ...fresh, freshUntil: now + 60_000 }, now)).toEqual(new Date(now + 60_000));
  });

  it.each([
    ['a photo that its server wants asked for each time', plain, { ...fresh, freshUntil: now }],
    ['a photo that is out of date already', plain, { ...fresh, freshUntil: now - 1 }],
    ['a photo that could not be had', plain, { ...fresh, faults: [fault] }],
    ['links that are counted', { ...plain, trackLinks: true }, fresh],
    ['a brand of its own', { ...plain, brand: 'northline' }, fresh],
  ])('never with %s', (_, asked, gathered) => {
    expect(reusableUntil(asked, gathered, now)).toBeUndefined();
  });
});
