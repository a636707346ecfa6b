/** The labels of the pages in one language or two. */
import { describe, expect, it } from 'vitest';
import { english, labelsOf } from '../../../../../workers/pdf/layout/labels.ts';

describe('labels', () => {
  it('are English by default, from left to right', () => {
    expect(english).toBe(labelsOf('en'));
    expect(english).toMatchObject({ language: 'en', dir: 'ltr', lang: 'en', all: { bedrooms: 'Bedrooms', of: 'of' } });
    expect([english.label('bedrooms'), english.plain('bedrooms')]).toEqual(['Bedrooms', 'Bedrooms']);
  });

  it('are Arabic, from right to left', () => {
    const labels = labelsOf('ar');
    expect(labels).toMatchObject({ language: 'ar', dir: 'rtl', lang: 'ar', all: { bedrooms: 'غرف نوم' } });
    expect([labels.label('bedrooms'), labels.plain('bedrooms')]).toEqual(['غرف نوم', 'غرف نوم']);
  });

  it('are in both languages on English pages, except in sentences and values', () => {
    const labels = labelsOf('both');
    expect(labels).toMatchObject({ language: 'both', dir: 'ltr', lang: 'en', all: { bedrooms: 'Bedrooms · غرف نوم' } });
    expect(labels.label('bedrooms', '\n')).toBe('Bedrooms\nغرف نوم');
    expect(labels.plain('bedrooms')).toBe('Bedrooms');
    for (const word of ['page', 'of', 'more', 'moreOnline'] as const)
      expect(labels.label(word)).toBe(english.plain(word));
  });
});
