/** How the service sends mail. */
import { z } from 'zod';

/** `Name <address>`, or an address alone. */
const mailbox = /^(?:[^<>,@\r\n]+ <[^\s<>,@]+@[^\s<>,@]+>|[^\s<>,@]+@[^\s<>,@]+)$/;

/** Addresses with commas between. */
export const mailAddresses = z
  .string()
  .transform(text =>
    text
      .split(',')
      .map(address => address.trim())
      .filter(address => address !== ''),
  )
  .refine(
    addresses => addresses.every(address => mailbox.test(address)),
    'must be e-mail addresses with commas between',
  );

export const MailConfig = z.object({
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' })
    .optional()
    .describe(
      'Mail server, as smtp://user:password@host:587 or smtps://user:password@host:465; unset: no mail is sent.',
    ),
  MAIL_FROM: z
    .string()
    .regex(mailbox, 'must be an e-mail address, such as Portal Service <portal@example.com>')
    .optional()
    .describe('Sender of the mails, such as Portal Service <portal@example.com>; goes with SMTP_URL.'),
});
export type MailConfig = z.infer<typeof MailConfig>;
