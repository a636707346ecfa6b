import { describe, expect, it } from 'vitest';
import { LinkUrl, withUtm } from '../../../../../core/domain/links/link-fields.ts';

describe('LinkUrl', () => {
  it.each([
    'https://example.com',
    'HTTP://EXAMPLE.COM/a?b=c#d',
    'https://مثال.إختبار/',
    'http://127.0.0.1:8080/page',
    'https://example.com/?next=javascript:alert(1)',
  ])('accepts %s', url => expect(LinkUrl.parse(url)).toBe(url));

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt://example.com/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'ftp://example.com/',
    'vbscript:x',
    'blob:https://example.com/1',
    '//example.com',
    '/\\example.com',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https:\\\\example.com',
    'https://exa\nmple.com',
    'https://example.com/\r\nSet-Cookie: a=b',
    'java\tscript:alert(1)',
    'https://user:secret@example.com/',
    'https://good.example@evil.example/',
    'https://',
    'https://exa mple.com',
    'https://[::1',
    `https://example.com/${'x'.repeat(2_048)}`,
    '',
  ])('rejects %j', url => expect(LinkUrl.safeParse(url).success).toBe(false));
});

describe('withUtm', () => {
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
  ])('adds to %s the parameters %j: %s', (url, utm, expected) => {
    expect(withUtm(url, utm)).toBe(expected);
    expect(new URL(withUtm(url, utm)).href).toBe(expected);
  });

  it('replaces parameters of the same name and copies the rest of the query unchanged', () => {
    const signed = 'https://a.example/?x=a+b%20c&utm_source=old&sig=%2B%2f==&utm_medium=kept&empty=';
    expect(withUtm(signed, { source: 'new' })).toBe(
      'https://a.example/?x=a+b%20c&sig=%2B%2f==&utm_medium=kept&empty=&utm_source=new',
    );
  });
});
