import { describe, expect, it } from 'vitest';
import { LinkUrl } from '../../../../../core/domain/links/link-fields.ts';

describe('where a link may lead', () => {
  it.each([
    'https://example.com',
    'HTTP://EXAMPLE.COM/a?b=c#d',
    'https://مثال.إختبار/',
    'http://127.0.0.1:8080/page',
    'https://example.com/?next=javascript:alert(1)',
  ])('%s', url => {
    expect(LinkUrl.parse(url)).toBe(url);
  });

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
  ])('not to %j', url => {
    expect(LinkUrl.safeParse(url).success).toBe(false);
  });
});
