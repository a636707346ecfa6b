/** Settings of the SMS gateway, and the limits on what is sent. */
import { z } from 'zod';
import { httpUrl, trueOrFalse, wholeNumber } from '../../runtime/config.ts';
import { parseSendingHours } from '../../values/dubai-time.ts';

/** Of an alphanumeric sender, including the prefix of marketing messages. */
const maxSenderLength = 11;
export const marketingPrefix = 'AD-';

export const SmsGatewayConfig = z.object({
  SMS_URL: httpUrl.optional().describe('The SMS gateway (e& Smart Messaging); unset: not configured.'),
  SMS_USERNAME: z.string().default('').describe('Login at the SMS gateway.'),
  SMS_PASSWORD: z.string().default('').describe('Password of that login.'),
  SMS_SENDER: z
    .string()
    .regex(/^[A-Za-z0-9 ]+$/, 'must have letters, digits and spaces only')
    .max(
      maxSenderLength - marketingPrefix.length,
      `must have at most ${maxSenderLength - marketingPrefix.length} characters`,
    )
    .default('PORTAL')
    .describe('Registered sender; marketing messages prefix it with AD-, together at most 11 characters.'),
  SMS_MARKETING_HOURS: z
    .string()
    .refine(text => parseSendingHours(text) !== undefined, 'must be two times of a day, such as 09:00-18:00')
    .default('09:00-18:00')
    .describe('When marketing SMS may be sent, in Asia/Dubai.'),
  SMS_MAX_PARTS: wholeNumber(1, 255)
    .default(10)
    .describe('Maximum number of parts of one SMS; a longer text is rejected.'),
  SMS_PARTS_PER_CLIENT_DAY: wholeNumber(0, 10_000_000)
    .default(1_000)
    .describe('SMS parts that one client may send in one day in Asia/Dubai.'),
  SMS_SERVICE_SKIPS_REGISTRY: trueOrFalse
    .default(false)
    .describe('Whether service messages also go to numbers on the do-not-call registry, which concerns marketing.'),
});

export type SmsGatewayConfig = z.infer<typeof SmsGatewayConfig>;
