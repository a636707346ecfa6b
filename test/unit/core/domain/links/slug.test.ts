import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctedSlugs, newSlug, Slug } from '../../../../../core/domain/links/slug.ts';

const alphabet = '23456789cdfhjkmnprtvwxy';

describe('a generated slug', () => {
  it('has nine characters, none of them a vowel or easily confused with another', () => {
    const slugs = Array.from({ length: 500 }, () => newSlug('campaign'));
    for (const slug of slugs) expect(slug).toMatch(/^[23456789cdfhjkmnprtvwxy]{9}$/);
    expect(new Set(slugs).size).toBe(500);
    expect(Slug.safeParse(slugs[0]).success).toBe(true);
  });

  it('gets no suggestions, because it is valid', () => {
    for (let round = 0; round < 200; round++) expect(correctedSlugs(newSlug('campaign'))).toEqual([]);
  });

  it('is among at most 17 suggestions when any one character is wrong', () => {
    const place = fc.integer({ min: 0, max: 8 });
    const wrong = fc.constantFrom(...'abegiloqsuz01', ...alphabet);
    fc.assert(
      fc.property(place, wrong, (at, character) => {
        const slug = newSlug('campaign');
        fc.pre(slug[at] !== character);
        const suggested = correctedSlugs(slug.slice(0, at) + character + slug.slice(at + 1));
        expect(suggested).toContain(slug);
        expect(suggested.length).toBeLessThanOrEqual(17);
      }),
    );
  });

  it('is suggested when two neighbours are swapped, also in upper case', () => {
    for (let round = 0; round < 200; round++) {
      const slug = newSlug('campaign');
      const swapped = slug.slice(0, 3) + slug[4] + slug[3] + slug.slice(5);
      if (swapped !== slug) expect(correctedSlugs(swapped.toUpperCase())).toContain(slug);
    }
  });

  it.each(['', 'palm', 'palm-launch', 'ooooooooo', '2345678', '23456789cd'])('is not suggested for %j', typed =>
    expect(correctedSlugs(typed)).toEqual([]),
  );
});

describe('the slug of a mail, whose target is a file', () => {
  it('has 28 random characters, and none is suggested for a mistyped one', () => {
    const slug = newSlug('mail');
    expect(slug).toMatch(/^[23456789cdfhjkmnprtvwxy]{28}$/);
    expect(Slug.safeParse(slug).success).toBe(true);
    for (let at = 0; at < slug.length; at += 1)
      expect(correctedSlugs(`${slug.slice(0, at)}o${slug.slice(at + 1)}`)).toEqual([]);
  });
});

describe('a chosen slug', () => {
  it.each(['abc', 'Palm-Launch', '2026', 'a1-b2-c3', 'x'.repeat(64)])('may be %s', slug =>
    expect(Slug.parse(slug)).toBe(slug),
  );

  it.each(['', 'ab', 'x'.repeat(65), '-abc', 'abc-', 'a--b', 'a b', 'a/b', 'a.b', 'ünlü', '..', '%2e%2e', 'a_b'])(
    'must not be %j',
    slug => expect(Slug.safeParse(slug).success).toBe(false),
  );

  it.each(['api', 'Admin', 'HEALTH', 'well-known', 'docs'])('must not be the reserved word %s', slug =>
    expect(Slug.safeParse(slug).error?.issues[0]?.message).toBe('is reserved; choose another'),
  );
});
