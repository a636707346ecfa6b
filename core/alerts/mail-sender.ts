/** Tells of alerts by mail. */

import { openMailer } from '../mail/mailer.ts';
import { openMailTemplate } from '../mail/template.ts';
import type { Logger } from '../telemetry/logger.ts';
import { alertSubject, alertView } from './alert-view.ts';
import type { AlertConfig } from './config.ts';
import type { Sender } from './deliver.ts';

/**
 * @param page the address of the page of operations
 * @returns undefined when there is no mail server, or nobody to write to
 */
export async function openMailSender(
  { SMTP_URL, MAIL_FROM, ALERT_MAIL_TO: to = [] }: AlertConfig,
  page: string,
  logger: Logger,
): Promise<Sender | undefined> {
  if (SMTP_URL === undefined || MAIL_FROM === undefined || to.length === 0) return undefined;
  const mailer = openMailer({ SMTP_URL, MAIL_FROM }, logger);
  const template = await openMailTemplate('alerts');
  return {
    async send(id, news) {
      const subject = alertSubject(news);
      await mailer.send({ id, to, subject, ...(await template.render(alertView(news, subject, page))) });
    },
    close: mailer.close,
  };
}
