/** The preview's own pages: the list of samples beside one of them, and the message where a template is at fault. */
import { fittingScript } from './picture-pages.ts';

const reload = `new EventSource('/changes').onmessage = () => location.reload();`;

/** Sheets on a desk instead of on a printer. */
const desk = `html { background: #8b8f94; } body { margin: 0 auto !important; } .page, .cover { margin: 6mm auto; background: white; }`;

/** Where the document looks for its fonts and photos, and where the preview has them. */
const origin = 'https://brochure.invalid/';

/** A document of a design, fitted as the printer does it, that loads itself anew after a change. */
export function previewOf(html: string): string {
  const local = html.replaceAll(origin, '/assets/');
  const additions = `<style>${desk}</style><script>${fittingScript}; ${reload}</script></body>`;
  return local.replace(/<\/body>(?![\s\S]*<\/body>)/, () => additions);
}

export function faultPage(fault: unknown): string {
  const message = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><meta charset="utf-8"><title>A template is at fault</title>
<body style="font: 14px/1.5 monospace; padding: 24px; white-space: pre-wrap; color: #8a1c1c">${text}<script>${reload}</script></body>`;
}

/** @param names of the samples */
export function frontPage(names: readonly string[]): string {
  const rows = names.map(
    name => `<li><b>${name}</b>
      <a href="/page/classic/${name}" target="sheet">classic</a> <a href="/pdf/classic/${name}">PDF</a> ·
      <a href="/page/new/${name}" target="sheet">new</a> <a href="/pdf/new/${name}">PDF</a></li>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Brochure templates</title><style>
    body { margin: 0; display: grid; grid-template-columns: 300px 1fr; height: 100vh; font: 14px/1.6 system-ui, sans-serif; }
    nav { overflow: auto; padding: 16px; } ul { list-style: none; padding: 0; } li { margin-bottom: 10px; } li b { display: block; }
    iframe { width: 100%; height: 100%; border: 0; background: #8b8f94; }
  </style></head><body><nav><h1 style="font-size: 18px">Brochure templates</h1>
  <p>Save a file in <code>templates/</code> and the page shows it.</p><ul>${rows.join('')}</ul></nav>
  <iframe name="sheet" title="The sample" src="/page/new/${names.includes('sale-villa') ? 'sale-villa' : (names[0] ?? '')}"></iframe></body></html>`;
}
