/** HTML pages: template, company branding, and a content security policy that allows only the page's own script. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import Handlebars from 'handlebars';
import { z } from 'zod';
import { templateFolder } from '../../core/runtime/discover.ts';

/** Headers of pages with own scripts, which set inline styles: no inline scripts, nothing from other sites. */
export const scriptedPageHeaders = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; " +
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** The part of templates/brand.json that pages use. */
const Brand = z.object({
  name: z.string(),
  logo: z.string(),
  colours: z.object({ ink: z.string(), accent: z.string(), tint: z.string() }),
  contact: z.object({ website: z.url({ protocol: /^https?$/ }) }),
});

export type Page = Awaited<ReturnType<typeof openPage>>;

/**
 * Paths are relative to templates/.
 * @param file template; gets `brand` and `styles` in addition to the view
 * @param partFiles partials by name
 * @param scriptFile the only script that the browser runs; the template gets it as `script`
 */
export async function openPage(
  file: string,
  stylesFile: string,
  partFiles: Readonly<Record<string, string>> = {},
  scriptFile?: string,
) {
  const brand = Brand.parse(JSON.parse(await readFile(new URL('brand.json', templateFolder), 'utf8')));
  const mark = await readFile(new URL(brand.logo, templateFolder), 'utf8');
  const { ink, accent, tint } = brand.colours;
  const styles = `:root{--ink:${ink};--accent:${accent};--tint:${tint}}\n${await readFile(new URL(stylesFile, templateFolder), 'utf8')}`;
  const script = scriptFile && (await readFile(new URL(scriptFile, templateFolder), 'utf8'));
  const { website } = brand.contact;
  const common = {
    styles,
    script,
    brand: {
      name: brand.name,
      mark: mark.slice(mark.indexOf('<svg')).trim(),
      website: { href: website, text: new URL(website).host },
    },
  };
  const source = await readFile(new URL(file, templateFolder), 'utf8');
  const handlebars = Handlebars.create();
  for (const [name, partFile] of Object.entries(partFiles))
    handlebars.registerPartial(name, await readFile(new URL(partFile, templateFolder), 'utf8'));
  const template = handlebars.compile<object>(source, { noEscape: false });
  // No images or external resources; only this style sheet, and this script, which may fetch from its own origin.
  const contentSecurityPolicy =
    `default-src 'none'; style-src 'sha256-${hash('sha256', styles, 'base64')}'; ` +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'" +
    (script ? `; script-src 'sha256-${hash('sha256', script, 'base64')}'; connect-src 'self'` : '');
  return {
    /** The logo as SVG. */
    mark,
    /** With the colours of the brand. */
    styles,
    answer: (status: number, view: object, headers: Record<string, string> = {}) => ({
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentSecurityPolicy,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
        ...headers,
      },
      body: Buffer.from(template({ ...view, ...common })),
    }),
  };
}

let notice: Promise<Page> | undefined;

/** The branded page with a `title` and a `text`, for people who open an address. */
export function openNotice(): Promise<Page> {
  notice ??= openPage('links/notice.hbs', 'links/styles.css');
  return notice;
}
