import { describe, expect, it } from 'vitest';
import { withUtm } from '../../../../../core/domain/links/link-fields.ts';

describe('UTM parameters', () => {
  it.each([
    ['https://a.example/', {}, 'https://a.example/'],
    ['https://a.example/', { source: 'sms' }, 'https://a.example/?utm_source=sms'],
    ['https://a.example/?b=1', { source: 'sms' }, 'https://a.example/?b=1&utm_source=sms'],
    ['https://a.example/p?b=1#top', { medium: 'x' }, 'https://a.example/p?b=1&utm_medium=x#top'],
    ['https://a.example/#a?b', { source: 's' }, 'https://a.example/?utm_source=s#a?b'],
    ['https://a.example/?', { source: 's' }, 'https://a.example/?utm_source=s'],
    [
      'https://a.example/',
      { campaign: 'Palm & Co/2026 ünï', source: 's' },
      'https://a.example/?utm_source=s&utm_campaign=Palm%20%26%20Co%2F2026%20%C3%BCn%C3%AF',
    ],
  ])('of %s with %j make %s', (url, utm, expected) => {
    expect(withUtm(url, utm)).toBe(expected);
    expect(new URL(withUtm(url, utm)).href).toBe(expected);
  });

  it('take the place of those that the address has, and leave the rest of its query to the letter', () => {
    const signed = 'https://a.example/?x=a+b%20c&utm_source=old&sig=%2B%2f==&utm_medium=kept&empty=';
    expect(withUtm(signed, { source: 'new' })).toBe(
      'https://a.example/?x=a+b%20c&sig=%2B%2f==&utm_medium=kept&empty=&utm_source=new',
    );
  });
});
