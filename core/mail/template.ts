/** Mails as people read them: an MJML message and its plain text in `templates/mail/<name>/`, in the house's colours. */
import { readFile } from 'node:fs/promises';
import Handlebars from 'handlebars';
import { z } from 'zod';

const templates = new URL('../../templates/', import.meta.url);

/** What mails need of templates/brand.json. */
const Brand = z.object({
  name: z.string(),
  colours: z.object({ ink: z.string(), accent: z.string(), tint: z.string() }),
  licence: z.string(),
});

export interface MailTemplate {
  /** @param view what the template names, besides `brand` */
  render(view: object): Promise<{ html: string; text: string }>;
}

/** What messages share, as partials under these names. */
const shared = ['head', 'top', 'foot'];

/** @param name the folder below templates/mail */
export async function openMailTemplate(name: string): Promise<MailTemplate> {
  const source = (file: string) => readFile(new URL(`mail/${file}`, templates), 'utf8');
  const brand = Brand.parse(JSON.parse(await readFile(new URL('brand.json', templates), 'utf8')));
  const handlebars = Handlebars.create();
  for (const part of shared) handlebars.registerPartial(part, await source(`shared/${part}.mjml`));
  // The view goes in before MJML lays the message out: what it holds is escaped, so that it is text to MJML too.
  const message = handlebars.compile<object>(await source(`${name}/message.mjml`), { noEscape: false });
  const plain = Handlebars.create().compile<object>(await source(`${name}/message.txt`), { noEscape: true });
  return {
    async render(view) {
      // Loaded with the first mail: it would be a seventh of the start of every process, and most send none.
      const { default: mjml2html } = await import('mjml');
      const { html } = await mjml2html(message({ ...view, brand }), {
        validationLevel: 'strict',
        keepComments: false,
      });
      // MJML's indentation is a third of the message, and mail readers cut off what is over 100 kB.
      return { html: html.replaceAll(/\n\s+/g, '\n'), text: plain({ ...view, brand }).trim() };
    },
  };
}
