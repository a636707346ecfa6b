/** Request fields that several operation groups accept. */
import { z } from 'zod';
import { parsePhoneNumber } from '../../core/values/phone-number.ts';

/** Accepts common spellings; returns E.164. */
export const PhoneInput = z
  .string({ error: 'must be a string' })
  .max(40, 'must have at most 40 characters')
  .transform((written, context) => {
    const phone = parsePhoneNumber(written);
    if (phone) return phone.number;
    context.addIssue({ code: 'custom', message: 'must be a phone number, such as +971501234567' });
    return z.NEVER;
  });

export const EmailInput = z
  .email({ error: 'must be an e-mail address' })
  .max(320, 'must have at most 320 characters')
  .transform(email => email.toLowerCase());

export const shortText = z
  .string({ error: 'must be a string' })
  .trim()
  .max(1_000, 'must have at most 1,000 characters');

/** A numeric id in a path or query. */
export const idIn = (what: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/, `must be the id of ${what}`)
    .transform(Number)
    .meta({ examples: ['1203'] });
