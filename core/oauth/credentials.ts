/** Client secrets and access tokens: generated, shown once, stored as SHA-256 (256 random bits need no slow hash). */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 43;
const checksumLength = 6;

export type CredentialKind = 'secret' | 'token';

/** Prefix and checksum let scanners recognise a leaked credential. */
const prefixes: Record<CredentialKind, string> = { secret: 'pss_', token: 'pst_' };

/** `<prefix><43 random characters><6 characters of CRC-32>`, in letters and digits. */
export function newCredential(kind: CredentialKind): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength);
  return prefixes[kind] + random + checksum(random);
}

/** Whether the text has the form and checksum of a credential; it may still be unknown. */
export function looksLikeCredential(kind: CredentialKind, text: string): boolean {
  const prefix = prefixes[kind];
  const random = text.slice(prefix.length, -checksumLength);
  return text.startsWith(prefix) && random.length === randomLength && text.endsWith(checksum(random));
}

export const sha256 = (text: string): string => hash('sha256', text);

/** Compares two hashes in constant time. */
export function equalHashes(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'hex'), Buffer.from(other, 'hex')];
  return a.length === b.length && timingSafeEqual(a, b);
}

const checksum = (random: string): string => base62(BigInt(crc32(random)), checksumLength);

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
