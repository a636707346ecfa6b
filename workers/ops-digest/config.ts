/** Receivers of the digest. */
import { z } from 'zod';
import { AlertConfig } from '../../core/alerts/config.ts';
import { mailAddresses } from '../../core/mail/config.ts';

export const DigestConfig = z.object({
  SMTP_URL: AlertConfig.shape.SMTP_URL,
  MAIL_FROM: AlertConfig.shape.MAIL_FROM,
  ALERT_MAIL_TO: AlertConfig.shape.ALERT_MAIL_TO,
  DIGEST_MAIL_TO: mailAddresses
    .optional()
    .describe('Receivers of the daily digest mail, separated by commas; unset: those of ALERT_MAIL_TO.'),
});
