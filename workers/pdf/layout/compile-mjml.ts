/** Compiles a page authored in MJML to the part of its HTML that is ours: the content of the body, for print. */

/** Tables for Outlook, hidden in comments; MJML suffixes the classes in them, which breaks Handlebars blocks. */
const conditionalComments = /<!--\[if[\s\S]*?<!\[endif\]-->/g;

/** MJML wraps every message in one element with the role of an article described as "email". */
const messageElement = /<body[^>]*>\s*<div[^>]*>([\s\S]*)<\/div>\s*<\/body>/;

/** Classes of widths that stand in MJML's head only. */
const columnClasses = /mj-column-[\w-]+ mj-outlook-group-fix ?/g;

/**
 * The markup between MJML's own wrappers, Handlebars expressions untouched. MJML's head is left out: it asks for
 * web fonts, and its column widths stand in a media query for screens.
 * @throws when the page is not valid MJML (strict).
 */
export async function compileMjml(source: string): Promise<string> {
  // Loaded when first needed: a worker for other kinds of jobs never does.
  const { default: mjml2html } = await import('mjml');
  const { html } = await mjml2html(source, { validationLevel: 'strict', keepComments: false });
  const content = messageElement.exec(html.replace(conditionalComments, ''))?.[1];
  if (content === undefined) throw new Error('MJML gave no body to print.');
  return content
    .replace(columnClasses, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}
