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

/** A whole number in a path or query. The API document has its type, because paths and queries are text anyway. */
export function wholeNumber(pattern: RegExp, [minimum, maximum]: readonly [number, number], message: string) {
  const number = z.int().min(minimum, message).max(maximum, message);
  const digits = z.string().regex(pattern, message).transform(Number);
  return digits.pipe(number).meta({ type: 'integer', minimum, maximum });
}

/** A whole number in a query. */
export const queryNumber = (min: number, max: number) =>
  wholeNumber(/^\d{1,9}$/, [min, max], `must be a whole number from ${min} to ${max}`);

/** True or false in a query; required. */
export const QueryBoolean = z
  .enum(['true', 'false'])
  .transform(text => text === 'true')
  .meta({ type: 'boolean' });

export const QueryFlag = QueryBoolean.default(false);

export const DryRunFlag = QueryFlag.describe('Returns the plan without changing anything.');

/** A numeric id in a path or query. */
export function idIn(what: string) {
  return wholeNumber(/^[1-9]\d{0,9}$/, [1, 2_147_483_647], `must be the id of ${what}`)
    .describe(`The id of ${what}.`)
    .meta({ examples: [1203] });
}

/** Seconds for which a replaced secret remains valid. */
export const GracePeriod = z.int().min(0).max(2_592_000).default(86_400);
