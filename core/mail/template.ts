/** Mail templates: an MJML message and its plain text in `templates/mail/<name>/`, in the brand's colours. */
import { readFile } from 'node:fs/promises';
import Handlebars from 'handlebars';
import { z } from 'zod';
import { templateFolder } from '../runtime/discover.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { MailConfig } from './config.ts';
import { openMailer } from './mailer.ts';

/** The members of templates/brand.json that mails use. */
const Brand = z.object({
  name: z.string(),
  colours: z.object({ ink: z.string(), accent: z.string(), tint: z.string() }),
  licence: z.string(),
});

/** @param name the folder below templates/mail */
export async function openMailTemplate(name: string) {
  const source = (file: string) => readFile(new URL(`mail/${file}`, templateFolder), 'utf8');
  const brand = Brand.parse(JSON.parse(await readFile(new URL('brand.json', templateFolder), 'utf8')));
  const handlebars = Handlebars.create();
  handlebars.registerPartial('head', await source('shared/head.mjml'));
  // The view is inserted, escaped, before MJML renders the message: MJML treats it as text.
  const message = handlebars.compile<object>(await source(`${name}/message.mjml`), { noEscape: false });
  const plain = Handlebars.create().compile<object>(await source(`${name}/message.txt`), { noEscape: true });
  return {
    /** @param view the template's variables; `brand` replaces the default one */
    async render(view: object): Promise<{ html: string; text: string }> {
      // Loaded with the first mail: it takes a seventh of a process's start, and most processes send none.
      const { default: mjml2html } = await import('mjml');
      const { html } = await mjml2html(message({ brand, ...view }), {
        validationLevel: 'strict',
        keepComments: false,
      });
      // MJML's indentation is a third of the message, and mail clients truncate messages over 100 kB.
      return { html: html.replaceAll(/\n\s+/g, '\n'), text: plain({ brand, ...view }).trim() };
    },
  };
}

/**
 * Undefined without a mail server or a receiver.
 * @param name the folder below templates/mail
 */
export async function openMailSender(
  name: string,
  { SMTP_URL, MAIL_FROM, to }: MailConfig & { to: readonly string[] },
  logger: Logger,
) {
  if (SMTP_URL === undefined || MAIL_FROM === undefined || to.length === 0) return undefined;
  const mailer = await openMailer({ SMTP_URL, MAIL_FROM }, logger);
  const template = await openMailTemplate(name);
  return {
    /** @param view the template's variables @throws ServiceError `upstream-failed` */
    send: async (id: string, subject: string, view: object): Promise<void> =>
      mailer.send({ id, to, subject, ...(await template.render(view)) }),
    close: mailer.close,
  };
}
