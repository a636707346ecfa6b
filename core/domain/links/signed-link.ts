/** Links that open without a token until they expire: `?expires=…&signature=…`, an HMAC-SHA256 of id and expiry. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServiceSecrets } from '../../postgres/service-secrets.ts';

export interface SignedLink {
  /** Name of the signing key: a signature is valid for one purpose only. */
  purpose: 'report-links' | 'result-links' | 'opt-out-links';
  id: string;
  /** Seconds since 1970; 0: without an end. */
  expires: number;
}

/** @param address of what the link opens */
export async function signedUrl(link: SignedLink, address: string, secrets: ServiceSecrets): Promise<string> {
  const signature = (await sign(link, secrets)).toString('base64url');
  return `${address}?${new URLSearchParams({ expires: String(link.expires), signature })}`;
}

/** Compares in constant time. Does not check the expiry. */
export async function isSigned(link: SignedLink, signature: string, secrets: ServiceSecrets): Promise<boolean> {
  const [given, expected] = [Buffer.from(signature, 'base64url'), await sign(link, secrets)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const sign = async ({ purpose, id, expires }: SignedLink, secrets: ServiceSecrets): Promise<Buffer> =>
  createHmac('sha256', await secrets.get(purpose))
    .update(`${id}\n${expires}`)
    .digest();
