/** Who gets the digest. */
import { z } from 'zod';
import { AlertConfig } from '../../core/alerts/config.ts';
import { mailAddresses } from '../../core/mail/config.ts';

export const DigestConfig = z.object({
  SMTP_URL: AlertConfig.shape.SMTP_URL,
  MAIL_FROM: AlertConfig.shape.MAIL_FROM,
  ALERT_MAIL_TO: AlertConfig.shape.ALERT_MAIL_TO,
  DIGEST_MAIL_TO: mailAddresses
    .optional()
    .describe(
      'Who gets the daily digest by mail: addresses with commas between; unset: those of ALERT_MAIL_TO.',
    ),
});
