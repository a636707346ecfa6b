/** Who is notified, for an installation without Prometheus and Alertmanager. */
import { z } from 'zod';
import { MailConfig, mailAddresses } from '../mail/config.ts';
import { httpUrl } from '../runtime/config.ts';

const needs = [
  ['NOTIFY_MAIL_TO', 'SMTP_URL'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['NOTIFY_WEBHOOK_SECRET', 'NOTIFY_WEBHOOK_URL'],
] as const;

export const NotifyConfig = z
  .object({
    ...MailConfig.shape,
    NOTIFY_MAIL_TO: mailAddresses
      .optional()
      .describe('Receivers of mails about held runs and failed jobs, separated by commas; unset: none.'),
    NOTIFY_WEBHOOK_URL: httpUrl
      .optional()
      .describe('Address that the same notifications are posted to, may be in the own network; unset: none.'),
    NOTIFY_WEBHOOK_SECRET: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and at least 24 random bytes in base64')
      .optional()
      .describe('Signs the posts to NOTIFY_WEBHOOK_URL as Standard Webhooks define; unset: they are not signed.'),
  })
  .superRefine((config, context) => {
    for (const [given, needed] of needs)
      if (config[given] !== undefined && config[needed] === undefined)
        context.addIssue({ code: 'custom', path: [needed], message: `must be set, because ${given} is` });
  });
export type NotifyConfig = z.infer<typeof NotifyConfig>;
