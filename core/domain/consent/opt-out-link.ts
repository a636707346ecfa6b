/** Links with which a person stops marketing: an address per contact, signed, without an end. */
import type { ServiceSecrets } from '../../postgres/service-secrets.ts';
import { isSigned, signedUrl } from '../links/signed-link.ts';
import { hashOf } from './contact.ts';

const linkTo = (contact: string) => ({ purpose: 'opt-out-links', id: contact, expires: 0 }) as const;

/** @param contact E.164, or an e-mail address @param base public URL with the base path */
export async function optOutUrl(contact: string, base: string, secrets: ServiceSecrets): Promise<string> {
  const hashed = await hashOf(contact, secrets);
  return await signedUrl(linkTo(hashed), `${base}/opt-out/${hashed}`, secrets);
}

/** @param contact its keyed hash */
export const isOptOutLink = (contact: string, signature: string, secrets: ServiceSecrets): Promise<boolean> =>
  isSigned(linkTo(contact), signature, secrets);
