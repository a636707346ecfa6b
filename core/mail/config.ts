/** Settings for sending mail. */
import { z } from 'zod';
import { commaSeparated } from '../runtime/config.ts';

/** `Name <address>` or an address. */
const mailbox = /^(?:[^<>,@\r\n]+ <[^\s<>,@]+@[^\s<>,@]+>|[^\s<>,@]+@[^\s<>,@]+)$/;

/** Comma-separated addresses. */
export const mailAddresses = z
  .string()
  .transform(commaSeparated)
  .refine(addresses => addresses.every(address => mailbox.test(address)), 'must be comma-separated e-mail addresses');

export const MailConfig = z.object({
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
    .optional()
    .describe(
      'Mail server, such as smtp://user:password@host:587 or smtps://user:password@host:465; unset: no mail is sent.',
    ),
  MAIL_FROM: z
    .string()
    .regex(mailbox, 'must be an e-mail address, such as Portal Service <portal@example.com>')
    .optional()
    .describe('Sender of the mails, such as Portal Service <portal@example.com>; required with SMTP_URL.'),
});
export type MailConfig = z.infer<typeof MailConfig>;
