/** Links that open without a token until they expire: `?expires=…&signature=…`, an HMAC-SHA256 of id and expiry. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { ApiServices } from '../services.ts';
import type { Answer } from './operation.ts';

export interface SignedLink {
  /** Name of the signing key: a signature is valid for one purpose only. */
  purpose: 'report-links' | 'result-links';
  id: string;
  /** Seconds since 1970. */
  expires: number;
}

export const SignedLinkResource = z.object({ url: z.url(), expiresAt: z.iso.datetime() });

/** Query parameters of a signed link. */
export const LinkExpires = z.string().regex(/^\d{1,12}$/, 'must be a time in seconds since 1970');
export const LinkSignature = z.string().max(100);

export const linkLifetime = (maxSeconds: number, defaultSeconds: number) =>
  z.int().min(1).max(maxSeconds).default(defaultSeconds);

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

/** @param path what the link opens, below the base path */
export async function signedLinkAnswer(
  link: SignedLink,
  path: string,
  services: Pick<ApiServices, 'address' | 'secrets'>,
): Promise<Answer> {
  const signature = (await sign(link, services)).toString('base64url');
  const query = new URLSearchParams({ expires: String(link.expires), signature });
  return {
    status: 201,
    headers: { 'cache-control': 'no-store' },
    body: {
      url: `${services.address.url}${path}?${query}`,
      expiresAt: new Date(link.expires * 1_000).toISOString(),
    },
  };
}

/** Compares in constant time. Does not check the expiry. */
export async function isSigned(
  link: SignedLink,
  signature: string,
  services: Pick<ApiServices, 'secrets'>,
): Promise<boolean> {
  const [given, expected] = [Buffer.from(signature, 'base64url'), await sign(link, services)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const sign = async ({ purpose, id, expires }: SignedLink, { secrets }: Pick<ApiServices, 'secrets'>): Promise<Buffer> =>
  createHmac('sha256', await secrets.get(purpose))
    .update(`${id}\n${expires}`)
    .digest();
