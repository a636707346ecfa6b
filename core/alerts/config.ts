/** When alerts open, and who receives them. */
import { z } from 'zod';
import { MailConfig, mailAddresses } from '../mail/config.ts';
import { httpUrl, wholeNumber } from '../runtime/config.ts';

const mustBeSet = (because: string): string => `must be set, because ${because} is`;

export const AlertConfig = z
  .object({
    ...MailConfig.shape,
    ALERT_WEBHOOK_URL: httpUrl
      .optional()
      .describe('Address that alerts are posted to, may be in the own network; unset: none.'),
    ALERT_WEBHOOK_SECRET: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and at least 24 random bytes in base64')
      .optional()
      .describe('Signs the posts to ALERT_WEBHOOK_URL as Standard Webhooks define; optional with the format slack.'),
    ALERT_WEBHOOK_FORMAT: z
      .enum(['standard', 'slack'], 'must be standard or slack')
      .default('standard')
      .describe('Format of these posts: JSON as Standard Webhooks define (standard), or Slack’s blocks (slack).'),
    ALERT_MAIL_TO: mailAddresses.optional().describe('Receivers of alert mails, separated by commas; unset: none.'),
    ALERT_REMIND_HOURS: wholeNumber(1, 720).default(24).describe('Time between reminders of open alerts.'),
    ALERT_WAITING_SECONDS: z
      .string()
      .refine(
        text => parseWaitingLimits(text) !== undefined,
        'must be a number of seconds, then limits of single kinds of job, such as 900,pdf=120',
      )
      .default('900,pdf=120,pdf-preview=60')
      .describe('How long a job may wait for a worker: the default, then limits of single kinds.'),
    ALERT_FAILURE_PERCENT: wholeNumber(1, 100)
      .default(20)
      .describe(
        'Share of failed jobs of a kind within an hour at which an alert opens; failures caused by the input do not count.',
      ),
    ALERT_FAILURE_MIN_JOBS: wholeNumber(1, 1_000_000)
      .default(5)
      .describe('Minimum number of failed jobs of the kind within that hour.'),
    ALERT_SMS_BALANCE: wholeNumber(0, 1_000_000_000)
      .default(100)
      .describe('Balance at the SMS gateway below which an alert opens, in its currency.'),
  })
  .superRefine((config, context) => {
    const requires = (given: unknown, name: keyof typeof config, because: string) => {
      if (given !== undefined && config[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: mustBeSet(because) });
    };
    if (config.ALERT_WEBHOOK_FORMAT === 'standard')
      requires(config.ALERT_WEBHOOK_URL, 'ALERT_WEBHOOK_SECRET', 'ALERT_WEBHOOK_URL');
    requires(config.ALERT_MAIL_TO, 'SMTP_URL', 'ALERT_MAIL_TO');
    requires(config.SMTP_URL, 'MAIL_FROM', 'SMTP_URL');
  });
export type AlertConfig = z.infer<typeof AlertConfig>;

/** The settings of the rules. */
export type AlertLimits = Pick<
  AlertConfig,
  'ALERT_WAITING_SECONDS' | 'ALERT_FAILURE_PERCENT' | 'ALERT_FAILURE_MIN_JOBS' | 'ALERT_SMS_BALANCE'
>;

/** In seconds; undefined when the text does not say it. */
export function parseWaitingLimits(text: string) {
  const [ofAll = '', ...others] = text.split(',').map(part => part.trim());
  const single = others.map(part => /^([a-z][a-z-]*)=(\d{1,7})$/.exec(part));
  if (!/^\d{1,7}$/.test(ofAll) || single.includes(null)) return undefined;
  return {
    default: Number(ofAll),
    byKind: new Map(single.flatMap(found => (found?.[1] ? [[found[1], Number(found[2])] as const] : []))),
  };
}
