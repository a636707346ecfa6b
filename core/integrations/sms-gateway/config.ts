/** How SMS are sent, and within which bounds. */
import { z } from 'zod';
import { httpAddress, wholeNumber, yesOrNo } from '../../runtime/config.ts';
import { parseSendingHours } from '../../values/sending-hours.ts';

/** An alphanumeric sender has at most 11 characters, the prefix of marketing among them. */
const longestSender = 11;
export const marketingPrefix = 'AD-';

export const SmsGatewayConfig = z.object({
  SMS_URL: httpAddress.optional().describe('The SMS gateway (e& Smart Messaging); unset: not configured.'),
  SMS_USERNAME: z.string().default('').describe('Login at the SMS gateway.'),
  SMS_PASSWORD: z.string().default('').describe('Password of that login.'),
  SMS_SENDER: z
    .string()
    .regex(/^[A-Za-z0-9 ]+$/, 'must have letters, digits and spaces only')
    .max(
      longestSender - marketingPrefix.length,
      `must have at most ${longestSender - marketingPrefix.length} characters`,
    )
    .default('PORTAL')
    .describe(
      'Registered sender; marketing goes out with AD- before it, and both have at most 11 characters.',
    ),
  SMS_MARKETING_HOURS: z
    .string()
    .refine(text => parseSendingHours(text) !== undefined, 'must be two times of a day, such as 09:00-18:00')
    .default('09:00-18:00')
    .describe('When marketing SMS may be sent, in Asia/Dubai.'),
  SMS_MAX_PARTS: wholeNumber(1, 255)
    .default(10)
    .describe('Parts that one SMS may take; a longer text is refused.'),
  SMS_PARTS_PER_CLIENT_DAY: wholeNumber(0, 10_000_000)
    .default(1_000)
    .describe('SMS parts that one client may send on one day in Asia/Dubai.'),
  SMS_SERVICE_SKIPS_REGISTRY: yesOrNo
    .default(false)
    .describe(
      'Whether service messages also go to numbers on the do-not-call registry, which concerns marketing.',
    ),
});

export type SmsGatewayConfig = z.infer<typeof SmsGatewayConfig>;
