/** Request fields that several operation groups accept. */
import { z } from 'zod';
import { parsePhoneNumber } from '../../core/values/phone-number.ts';

/** Accepts common spellings; returns E.164. */
export const PhoneInput = z
  .string()
  .max(40)
  .transform((written, context) => {
    const phone = parsePhoneNumber(written);
    if (phone) return phone.number;
    context.addIssue({ code: 'custom', message: 'must be a phone number, such as +971501234567' });
    return z.NEVER;
  });

export const EmailInput = z
  .email()
  .max(320)
  .transform(email => email.toLowerCase());

export const shortText = z.string().trim().max(1_000);

/** A whole number in a query. */
export function queryNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  const digits = z.string().regex(/^\d{1,9}$/, message);
  return digits.transform(Number).pipe(z.int().min(min, message).max(max, message));
}

/** True or false in a query. */
export const QueryFlag = z
  .enum(['true', 'false'])
  .default('false')
  .transform(text => text === 'true');

export const DryRunFlag = QueryFlag.describe('Returns the plan without changing anything.');

/** A numeric id in a path or query. */
export function idIn(what: string) {
  const message = `must be the id of ${what}`;
  const digits = z
    .string()
    .regex(/^[1-9]\d{0,9}$/, message)
    .transform(Number);
  return digits
    .pipe(z.int().max(2_147_483_647, message))
    .describe(`The id of ${what}.`)
    .meta({ examples: ['1203'] });
}

/** Seconds for which a replaced secret remains valid. */
export const GracePeriod = z.int().min(0).max(2_592_000).default(86_400);
