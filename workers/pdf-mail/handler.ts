/** Opens what mails of brochures need: the mail server, the template, and the browser for the picture. */
import { z } from 'zod';
import { defineHandler } from '../../core/jobs/handler.ts';
import { MailConfig } from '../../core/mail/config.ts';
import { openMailer } from '../../core/mail/mailer.ts';
import { openMailTemplate } from '../../core/mail/template.ts';
import { wholeNumber } from '../../core/runtime/config.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { acquirePdfRuntime, PdfRuntimeConfig } from '../pdf/pdf-runtime.ts';
import type { WorkerServices } from '../services.ts';
import contract from './contract.ts';
import { sendBrochure } from './send-brochure.ts';

export const BrochureMailConfig = z.object({
  ...PdfRuntimeConfig.shape,
  ...MailConfig.shape,
  MAIL_ATTACHMENT_MB: wholeNumber(0, 100)
    .default(7)
    .describe('Size in MB up to which a brochure is attached to its mail; larger ones have only the link. 0: never.'),
});

export default defineHandler({
  job: contract,
  config: BrochureMailConfig,
  async open(config, services: WorkerServices) {
    const runtime = await acquirePdfRuntime(config, services);
    const { SMTP_URL, MAIL_FROM } = config;
    const mailer = SMTP_URL && MAIL_FROM ? await openMailer({ SMTP_URL, MAIL_FROM }, services.logger) : undefined;
    const template = await openMailTemplate('brochure');
    return {
      handle(order, context) {
        if (!mailer) throw new ServiceError('system-not-configured', 'The worker needs SMTP_URL and MAIL_FROM.');
        return sendBrochure(order, context, { ...services, ...runtime, mailer, template, settings: config });
      },
      async close() {
        mailer?.close();
        await runtime.close();
      },
    };
  },
});
