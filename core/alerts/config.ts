/** When alerts open, and whom they are told to. */
import { z } from 'zod';
import { MailConfig, mailAddresses } from '../mail/config.ts';
import { httpAddress, wholeNumber } from '../runtime/config.ts';
import { parseWaitingLimits } from './waiting-limits.ts';

const mustBeSet = (because: string): string => `must be set, because ${because} is`;

export const AlertConfig = z
  .object({
    ...MailConfig.shape,
    ALERT_WEBHOOK_URL: httpAddress
      .optional()
      .describe('Where alerts are posted, also in the own network; unset: nowhere.'),
    ALERT_WEBHOOK_SECRET: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and at least 24 random bytes in base64')
      .optional()
      .describe('Signs those posts as Standard Webhooks describe; goes with ALERT_WEBHOOK_URL.'),
    ALERT_MAIL_TO: mailAddresses
      .optional()
      .describe('Who gets alerts by mail: addresses with commas between; unset: nobody.'),
    ALERT_REMIND_HOURS: wholeNumber(1, 720)
      .default(24)
      .describe('How long an alert is open before it is told again.'),
    ALERT_WAITING_SECONDS: z
      .string()
      .refine(
        text => parseWaitingLimits(text) !== undefined,
        'must be a number of seconds, then kinds of job with their own, such as 900,pdf=120',
      )
      .default('900,pdf=120,pdf-preview=60')
      .describe('How long a job may wait for a worker: for all kinds, then for single ones.'),
    ALERT_FAILURE_PERCENT: wholeNumber(1, 100)
      .default(20)
      .describe('Share of the jobs of a kind that may fail within an hour, those with wrong input apart.'),
    ALERT_FAILURE_MIN_JOBS: wholeNumber(1, 1_000_000)
      .default(5)
      .describe('Jobs of the kind that must have failed within that hour before their share is looked at.'),
    ALERT_SMS_BALANCE: wholeNumber(0, 1_000_000_000)
      .default(100)
      .describe('Balance at the SMS gateway below which it is low, in its currency.'),
  })
  .superRefine((config, context) => {
    const requires = (given: unknown, name: keyof typeof config, because: string) => {
      if (given !== undefined && config[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: mustBeSet(because) });
    };
    requires(config.ALERT_WEBHOOK_URL, 'ALERT_WEBHOOK_SECRET', 'ALERT_WEBHOOK_URL');
    requires(config.ALERT_MAIL_TO, 'SMTP_URL', 'ALERT_MAIL_TO');
    requires(config.SMTP_URL, 'MAIL_FROM', 'SMTP_URL');
  });
export type AlertConfig = z.infer<typeof AlertConfig>;

/** What the rules go by. */
export type AlertLimits = Pick<
  AlertConfig,
  'ALERT_WAITING_SECONDS' | 'ALERT_FAILURE_PERCENT' | 'ALERT_FAILURE_MIN_JOBS' | 'ALERT_SMS_BALANCE'
>;
