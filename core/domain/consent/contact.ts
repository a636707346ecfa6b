/** A phone number or an e-mail address, stored as a keyed hash only: without the key, numbers cannot be found by trying all of them. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { ServiceSecrets } from '../../postgres/service-secrets.ts';
import { toE164 } from '../../values/phone-number.ts';

/** E.164, or an e-mail address in lower case. */
export const Contact = z
  .string({ error: 'must be a phone number or an e-mail address' })
  .trim()
  .max(254)
  .transform((text, context) => {
    const contact = text.includes('@') ? z.email().safeParse(text).data?.toLowerCase() : toE164(text);
    if (contact !== undefined) return contact;
    context.addIssue('is no phone number and no e-mail address');
    return z.NEVER;
  })
  .describe('A phone number in any common spelling, or an e-mail address.')
  .meta({ examples: ['050 123 4561'] });

/** @param contact E.164, or an e-mail address @returns 64 hexadecimal digits */
export const hashOf = async (contact: string, secrets: ServiceSecrets): Promise<string> =>
  createHmac('sha256', await secrets.get('contacts'))
    .update(contact.toLowerCase())
    .digest('hex');
