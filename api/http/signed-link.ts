/** Signed links in requests and answers. */
import { z } from 'zod';
import { type SignedLink, signedUrl } from '../../core/domain/links/signed-link.ts';
import type { ApiServices } from '../services.ts';
import { wholeNumber } from './input-fields.ts';
import type { Answer } from './operation.ts';

export const SignedLinkResource = z.object({ url: z.url(), expiresAt: z.iso.datetime() });

/** Query parameters of a signed link. */
export const LinkExpires = wholeNumber(/^\d{1,12}$/, [0, 999_999_999_999], 'must be a time in seconds since 1970');
export const LinkSignature = z.string().max(100);

export const linkLifetime = (maxSeconds: number, defaultSeconds: number) =>
  z.int().min(1).max(maxSeconds).default(defaultSeconds);

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

/** @param path what the link opens, below the base path */
export async function signedLinkAnswer(
  link: SignedLink,
  path: string,
  { address, secrets }: Pick<ApiServices, 'address' | 'secrets'>,
): Promise<Answer> {
  return {
    status: 201,
    body: {
      url: await signedUrl(link, address.url + path, secrets),
      expiresAt: new Date(link.expires * 1_000).toISOString(),
    },
  };
}
