import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { equalHashes, looksLikeCredential, newCredential, sha256 } from '../../../../core/oauth/credentials.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe.each([
  { kind: 'secret', prefix: 'pss_' },
  { kind: 'token', prefix: 'pst_' },
] as const)('a new $kind', ({ kind, prefix }) => {
  const create = () => Array.from({ length: 200 }, () => newCredential(kind));

  it('consists of its prefix, 43 random letters and digits, and a checksum of 6', () => {
    const form = new RegExp(`^${prefix}[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`);
    expect(create().filter(text => !form.test(text))).toEqual([]);
  });

  it('is unique', () => expect(new Set(create()).size).toBe(200));

  it('is recognised by its checksum, and not with any character changed', () => {
    const [text = ''] = create();
    expect(looksLikeCredential(kind, text)).toBe(true);
    const changed = [...text].map(
      (character, at) => text.slice(0, at) + (character === 'x' ? 'y' : 'x') + text.slice(at + 1),
    );
    expect(changed.filter(other => looksLikeCredential(kind, other))).toEqual([]);
  });

  it('is not recognised as the other kind, and neither is a part of it', () => {
    const [text = ''] = create();
    expect(looksLikeCredential(kind === 'secret' ? 'token' : 'secret', text)).toBe(false);
    expect(looksLikeCredential(kind, text.slice(0, -1))).toBe(false);
    expect(looksLikeCredential(kind, `${text}x`)).toBe(false);
    expect(looksLikeCredential(kind, '')).toBe(false);
  });
});

it('has the checksum that scanners compute: CRC-32 of the random part in base 62', () => {
  // Computed with Python's zlib.crc32: 204167558, which is 0DofJ8 with the digits 0-9, A-Z, a-z.
  expect(looksLikeCredential('token', `pst_${'A'.repeat(43)}0DofJ8`)).toBe(true);
});

it.each([42, 44])('is not recognised with %i random characters, also with their checksum', length => {
  const crc = crc32('A'.repeat(length));
  const digits = [...Array(6).keys()].map(place => alphabet.charAt(Math.floor(crc / 62 ** (5 - place)) % 62)).join('');
  expect(looksLikeCredential('token', `pst_${'A'.repeat(length)}${digits}`)).toBe(false);
});

describe('hashes', () => {
  it('are SHA-256 in hex', () =>
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'));

  it('are equal only to the same hash', () => {
    expect(equalHashes(sha256('a'), sha256('a'))).toBe(true);
    expect(equalHashes(sha256('a'), sha256('b'))).toBe(false);
    expect(equalHashes(sha256('a'), sha256('a').slice(2))).toBe(false);
    expect(equalHashes(sha256('a'), '')).toBe(false);
  });
});
