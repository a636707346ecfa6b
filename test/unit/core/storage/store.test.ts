import { describe, expect, it } from 'vitest';
import { checkKey, resolveRange } from '../../../../core/storage/file-store.ts';

describe('a key', () => {
  it.each(['a', 'pdf/0f3a.pdf', 'reports/2026/location-sync_0190.json', '_a/-b'])('may be %s', key => {
    expect(() => checkKey(key)).not.toThrow();
  });

  it.each([
    '',
    '/',
    '/etc/passwd',
    '../secret',
    'a/../b',
    'a/./b',
    'a//b',
    'a/',
    '.hidden',
    'a/.hidden',
    'a\\b',
    'a\0b',
    'A',
    'a b',
    'a~b',
    'a%2fb',
    'c:x',
    'x'.repeat(201),
    'a\n',
  ])('must not be %j', key => {
    expect(() => checkKey(key)).toThrow('not a storage key');
  });
});

describe('a range', () => {
  it.each([
    [{ start: 0 }, { start: 0, end: 9 }],
    [
      { start: 3, end: 5 },
      { start: 3, end: 5 },
    ],
    [{ start: 9 }, { start: 9, end: 9 }],
    [
      { start: 5, end: 100 },
      { start: 5, end: 9 },
    ],
  ])('%j of ten bytes is %j', (range, bytes) => {
    expect(resolveRange(10, range)).toEqual(bytes);
  });

  it.each([{ start: 10 }, { start: 5, end: 4 }, { start: -1 }])('%j of ten bytes is not satisfiable', range => {
    expect(() => resolveRange(10, range)).toThrow(
      expect.objectContaining({
        code: 'range-not-satisfiable',
        headers: { 'content-range': 'bytes */10' },
      }),
    );
  });

  it('of an empty object is empty', () => {
    expect(resolveRange(0)).toEqual({ start: 0, end: -1 });
    expect(() => resolveRange(0, { start: 0, end: 0 })).toThrow('The file has 0 bytes.');
  });
});
