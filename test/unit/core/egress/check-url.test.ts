import { describe, expect, it } from 'vitest';
import { parseAllowRule } from '../../../../core/egress/allow-rules.ts';
import { checkLiteralUrl, checkRedirect, checkUrl, portOf } from '../../../../core/egress/check-url.ts';

describe('a redirect', () => {
  const from = new URL('https://photos.example/a/1.jpg');

  it.each([
    ['/b/2.jpg', 'https://photos.example/b/2.jpg'],
    ['2.jpg#x', 'https://photos.example/a/2.jpg'],
    ['//cdn.example/2.jpg', 'https://cdn.example/2.jpg'],
  ])('to %s leads to %s', (location, target) => expect(checkRedirect(from, location, []).href).toBe(target));

  it.each([
    ['http://photos.example/1.jpg', 'redirects'],
    [undefined, 'redirects'],
    [['https://a.example/', 'https://b.example/'], 'redirects'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://photos.example/', 'scheme'],
    ['https://user@photos.example/', 'credentials'],
    ['https://photos.example:8443/', 'port'],
    ['https://[nonsense/', 'url'],
  ])('to %s is rejected: %s', (location, reason) =>
    expect(() => checkRedirect(from, location, [])).toThrow(expect.objectContaining({ reason })),
  );

  it('from http to http is followed', () => {
    expect(checkRedirect(new URL('http://a.example/'), '/b', []).href).toBe('http://a.example/b');
  });

  it('from http to https is followed', () => {
    expect(checkRedirect(new URL('http://a.example/'), 'https://a.example/', []).href).toBe('https://a.example/');
  });
});

it('a fragment is removed', () => {
  expect(checkUrl('https://a.example/1.jpg#secret', []).href).toBe('https://a.example/1.jpg');
});

describe('a URL that is stored now and fetched later', () => {
  const rules = (...entries: string[]) => entries.flatMap(entry => parseAllowRule(entry) ?? []);

  it.each([
    ['https://a.example/1.jpg', []],
    ['http://8.8.8.8/', []],
    ['https://[2606:4700:4700::1111]/', []],
    ['https://localhost.example/', []],
    ['https://mylocalhost/', []],
    ['http://127.0.0.1:9100/', ['127.0.0.1:9100']],
    ['http://[::1]:9100/', ['[::1]:9100']],
    ['http://localhost:8080/', ['localhost:8080']],
    ['http://localhost:8080/', ['other.internal:8080', 'localhost:8080']],
  ])('may be %s with the exceptions %j', (text, allowed) =>
    expect(checkLiteralUrl(text, rules(...allowed)).href).toBe(text),
  );

  it.each([
    ['http://127.0.0.1/', []],
    ['http://[::1]/', []],
    ['http://[::ffff:10.0.0.1]/', []],
    ['http://localhost/', []],
    ['http://localhost./', []],
    ['http://LOCALHOST/', []],
    ['http://a.localhost/', []],
    ['http://localhost/', ['other.internal:8080']],
    ['http://localhost/', ['10.0.0.0/8']],
  ])('must not be %s with the exceptions %j', (text, allowed) =>
    expect(() => checkLiteralUrl(text, rules(...allowed))).toThrow(expect.objectContaining({ reason: 'address' })),
  );
});

it.each([
  ['http://a.example/', 80],
  ['https://a.example/', 443],
  ['https://a.example:8443/', 8443],
])('the port of %s is %i', (text, port) => expect(portOf(new URL(text))).toBe(port));
