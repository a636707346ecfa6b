/** Serves both designs with the samples on this computer, for editing templates and brands. */
import { type FSWatcher, watch } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { BrandsConfig } from '../../../core/domain/brands/brands.ts';
import { DesignName } from '../contract.ts';
import type { Asset } from '../layout/design.ts';
import { type ChooseDesign, openDesigns } from '../layout/designs.ts';
import { fitText } from '../layout/fit-text.ts';
import { findBrowser, sandboxMode } from '../print/find-browser.ts';
import { openPrinter, type Printer } from '../print/printer.ts';
import type { GalleryConfig } from './config.ts';
import { fittingScript } from './page-screenshots.ts';
import { openSamples, type SampleDocument, sampleNames, serveOnLoopback } from './samples.ts';

const templates = fileURLToPath(new URL('../../../templates/', import.meta.url));

/** Editors save in several steps; changes within this time count as one. */
const debounceMs = 80;

/** The origin of fonts and photos in documents. */
const assetOrigin = 'https://brochure.invalid/';

type Settings = z.output<typeof GalleryConfig>;

export type Preview = Awaited<ReturnType<typeof startPreview>>;

/** @param port 0 for a free one */
export async function startPreview(config: Settings, port: number, logger: Logger) {
  const designs = watchDesigns(config);
  const samples = await openSamples();
  /** The assets of the documents served so far, by path. */
  const assets = new Map<string, Asset>();
  let printer: Promise<Printer> | undefined;

  async function documentOf(design: DesignName, name: string): Promise<SampleDocument> {
    const sample = await samples.read(name);
    return await samples.documentOf(sample, await designs.choose({ design, ...sample.request }));
  }

  async function sendPage(design: DesignName, name: string, response: ServerResponse): Promise<void> {
    try {
      const document = await documentOf(design, name);
      for (const [url, asset] of document.assets) assets.set(new URL(url).pathname, asset);
      send(response, 200, 'text/html; charset=utf-8', previewOf(document.html));
    } catch (error) {
      // Not logged: the page shows the error in the template.
      send(response, 500, 'text/html; charset=utf-8', errorPage(error));
    }
  }

  async function sendPdf(design: DesignName, name: string, response: ServerResponse): Promise<void> {
    printer ??= launchPrinter(config, logger);
    const document = await documentOf(design, name);
    const { pdf } = await (await printer).print({ ...document, signal: new AbortController().signal });
    send(response, 200, 'application/pdf', pdf);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [kind = '', first = '', second = ''] = (request.url ?? '/').slice(1).split('/');
    const names = await sampleNames();
    const design = DesignName.safeParse(first);
    const asset = kind === 'assets' ? assets.get(`/${first}/${second}`) : undefined;
    if (kind === '') send(response, 200, 'text/html; charset=utf-8', indexPage(names));
    else if (kind === 'changes') sendChanges(response, designs.onChange);
    else if (asset) send(response, 200, asset.contentType, asset.body);
    else if (!design.success || !names.includes(second)) send(response, 404, 'text/plain', 'Not found.');
    else if (kind === 'page') await sendPage(design.data, second, response);
    else if (kind === 'pdf') await sendPdf(design.data, second, response);
    else send(response, 404, 'text/plain', 'Not found.');
  }

  const server = await serveOnLoopback((request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.error({ err: error }, 'the preview cannot show a page');
      send(response, 500, 'text/html; charset=utf-8', errorPage(error));
    });
  }, port);
  return {
    url: server.origin,
    async close() {
      designs.close();
      await server.close();
      await (await printer)?.close();
      await samples.close();
    },
  };
}

/** The designs, loaded again after a change of a template, style sheet or brand. `choose` throws for invalid ones. */
function watchDesigns(config: BrandsConfig) {
  const listeners = new Set<() => void>();
  let opening: Promise<ChooseDesign> | undefined;
  let debounce: NodeJS.Timeout | undefined;

  const onFileChange = () => {
    clearTimeout(debounce);
    debounce = setTimeout(() => {
      opening = undefined;
      for (const listener of listeners) listener();
    }, debounceMs);
  };
  const folders = [templates, ...(config.BRANDS_DIR === undefined ? [] : [config.BRANDS_DIR])];
  const watchers: FSWatcher[] = folders.map(folder => watch(folder, { recursive: true }, onFileChange));
  const choose: ChooseDesign = async choice => {
    opening ??= openDesigns(config);
    return await (await opening)(choice);
  };

  return {
    choose,
    /** Returns a function that removes the listener. */
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close(): void {
      clearTimeout(debounce);
      for (const watcher of watchers) watcher.close();
    },
  };
}

async function launchPrinter(config: Settings, logger: Logger): Promise<Printer> {
  const browser = await findBrowser(config, { cacheFolder: path.join(config.DATA_DIR, 'browser') });
  return await openPrinter({ browser, fit: fitText, logger, sandbox: sandboxMode(config), pages: 1 });
}

function send(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
}

function sendChanges(response: ServerResponse, onChange: (listener: () => void) => () => void): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  response.on(
    'close',
    onChange(() => response.write('data: changed\n\n')),
  );
}

const reloadScript = `new EventSource('/changes').onmessage = () => location.reload();`;

/** Shows pages as sheets on a grey background. */
const sheetStyles = `html { background: #8b8f94; } body { margin: 0 auto !important; } .page, .cover, .plans { margin: 6mm auto; background: white; }`;

/** The document with fitted text and local assets; reloads after each change. */
function previewOf(html: string): string {
  const local = html.replaceAll(assetOrigin, '/assets/');
  const additions = `<style>${sheetStyles}</style><script>${fittingScript}; ${reloadScript}</script></body>`;
  return local.replace(/<\/body>(?![\s\S]*<\/body>)/, () => additions);
}

/** Reloads after each change, so that it disappears once the error is corrected. */
function errorPage(error: unknown): string {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><meta charset="utf-8"><title>Error in a template</title>
<body style="font: 14px/1.5 monospace; padding: 24px; white-space: pre-wrap; color: #8a1c1c">${text}<script>${reloadScript}</script></body>`;
}

function indexPage(names: readonly string[]): string {
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
  <p>The page reloads when a file in <code>templates/</code> is saved.</p><ul>${rows.join('')}</ul></nav>
  <iframe name="sheet" title="The sample" src="/page/new/${names.includes('sale-villa') ? 'sale-villa' : (names[0] ?? '')}"></iframe></body></html>`;
}
