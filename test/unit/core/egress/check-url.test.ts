import { describe, expect, it } from 'vitest';
import { checkRedirect, checkUrl } from '../../../../core/egress/check-url.ts';

describe('a redirect', () => {
  const from = new URL('https://photos.example/a/1.jpg');

  it.each([
    ['/b/2.jpg', 'https://photos.example/b/2.jpg'],
    ['2.jpg#x', 'https://photos.example/a/2.jpg'],
    ['//cdn.example/2.jpg', 'https://cdn.example/2.jpg'],
  ])('to %s leads to %s', (location, target) => {
    expect(checkRedirect(from, location, []).href).toBe(target);
  });

  it.each([
    ['http://photos.example/1.jpg', 'redirects'],
    [undefined, 'redirects'],
    [['https://a.example/', 'https://b.example/'], 'redirects'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://photos.example/', 'scheme'],
    ['https://user@photos.example/', 'credentials'],
    ['https://photos.example:8443/', 'port'],
    ['https://[nonsense/', 'url'],
  ])('to %s is rejected: %s', (location, reason) => {
    expect(() => checkRedirect(from, location, [])).toThrow(expect.objectContaining({ reason }));
  });

  it('from http to https is followed', () => {
    expect(checkRedirect(new URL('http://a.example/'), 'https://a.example/', []).href).toBe('https://a.example/');
  });
});

it('a fragment is removed', () => {
  expect(checkUrl('https://a.example/1.jpg#secret', []).href).toBe('https://a.example/1.jpg');
});
