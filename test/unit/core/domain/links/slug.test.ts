import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newSlug, Slug, slugsMeant } from '../../../../../core/domain/links/slug.ts';

const alphabet = '23456789cdfhjkmnprtvwxy';

describe('a slug that is made', () => {
  it('has nine characters that cannot be taken for each other, and no vowel that would make a word of them', () => {
    const slugs = Array.from({ length: 500 }, newSlug);
    for (const slug of slugs) expect(slug).toMatch(/^[23456789cdfhjkmnprtvwxy]{9}$/);
    expect(new Set(slugs).size).toBe(500);
    expect(Slug.safeParse(slugs[0]).success).toBe(true);
  });

  it('is no other one’s near miss: nothing is suggested in its place', () => {
    for (let round = 0; round < 200; round++) expect(slugsMeant(newSlug())).toEqual([]);
  });

  it('is among the few suggestions when one character is wrong, whichever it is', () => {
    const place = fc.integer({ min: 0, max: 8 });
    const wrong = fc.constantFrom(...'abegiloqsuz01', ...alphabet);
    fc.assert(
      fc.property(place, wrong, (at, character) => {
        const slug = newSlug();
        fc.pre(slug[at] !== character);
        const suggested = slugsMeant(slug.slice(0, at) + character + slug.slice(at + 1));
        expect(suggested).toContain(slug);
        expect(suggested.length).toBeLessThanOrEqual(17);
      }),
    );
  });

  it('is suggested when two neighbours are swapped, and in capitals', () => {
    for (let round = 0; round < 200; round++) {
      const slug = newSlug();
      const swapped = slug.slice(0, 3) + slug[4] + slug[3] + slug.slice(5);
      if (swapped !== slug) expect(slugsMeant(swapped.toUpperCase())).toContain(slug);
    }
  });

  it.each(['', 'palm', 'palm-launch', 'ooooooooo', '2345678', '23456789cd'])(
    'is not guessed from %j',
    typed => {
      expect(slugsMeant(typed)).toEqual([]);
    },
  );
});

describe('a slug that people choose', () => {
  it.each(['abc', 'Palm-Launch', '2026', 'a1-b2-c3', 'x'.repeat(64)])('may be %s', slug => {
    expect(Slug.parse(slug)).toBe(slug);
  });

  it.each([
    '',
    'ab',
    'x'.repeat(65),
    '-abc',
    'abc-',
    'a--b',
    'a b',
    'a/b',
    'a.b',
    'ünlü',
    '..',
    '%2e%2e',
    'a_b',
  ])('must not be %j', slug => {
    expect(Slug.safeParse(slug).success).toBe(false);
  });

  it.each(['api', 'Admin', 'HEALTH', 'well-known', 'docs'])('must not be a reserved word: %s', slug => {
    expect(Slug.safeParse(slug).error?.issues[0]?.message).toBe('is reserved; choose another');
  });
});
