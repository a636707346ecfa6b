/** Serves both designs with the samples, for whoever edits a template or a brand; on this machine only. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { DesignName } from '../contract.ts';
import type { Asset } from '../layout/design.ts';
import { fitText } from '../layout/fit-text.ts';
import { findBrowser } from '../print/find-browser.ts';
import { openPrinter, type Printer } from '../print/printer.ts';
import type { GalleryConfig } from './gallery-config.ts';
import { watchDesigns } from './live-designs.ts';
import { faultPage, frontPage, previewOf } from './preview-pages.ts';
import { openSampleRoom, type SampleDocument } from './sample-room.ts';
import { sampleNames } from './samples.ts';

export interface Preview {
  url: string;
  close(): Promise<void>;
}

type Settings = z.output<typeof GalleryConfig>;

/** @param port 0 takes a free one */
export async function startPreview(config: Settings, port: number, logger: Logger): Promise<Preview> {
  const designs = watchDesigns(config);
  const room = await openSampleRoom();
  /** What the documents shown so far may ask for. */
  const assets = new Map<string, Asset>();
  let printer: Promise<Printer> | undefined;

  async function documentOf(design: DesignName, name: string): Promise<SampleDocument> {
    const sample = await room.sample(name);
    return await room.documentOf(sample, await designs.choose({ design, ...sample.request }));
  }

  async function showPage(design: DesignName, name: string, response: ServerResponse): Promise<void> {
    try {
      const document = await documentOf(design, name);
      for (const [url, asset] of document.assets) assets.set(new URL(url).pathname, asset);
      send(response, 200, 'text/html; charset=utf-8', previewOf(document.html));
    } catch (fault) {
      // Shown where the page would be, until the template is mended.
      send(response, 500, 'text/html; charset=utf-8', faultPage(fault));
    }
  }

  async function showPdf(design: DesignName, name: string, response: ServerResponse): Promise<void> {
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
    if (kind === '') send(response, 200, 'text/html; charset=utf-8', frontPage(names));
    else if (kind === 'changes') tellChanges(response, designs.onChange);
    else if (asset) send(response, 200, asset.contentType, asset.body);
    else if (!design.success || !names.includes(second)) send(response, 404, 'text/plain', 'Not here.');
    else if (kind === 'page') await showPage(design.data, second, response);
    else if (kind === 'pdf') await showPdf(design.data, second, response);
    else send(response, 404, 'text/plain', 'Not here.');
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.error({ err: error }, 'the preview could not answer');
      send(response, 500, 'text/html; charset=utf-8', faultPage(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${taken}`,
    async close() {
      designs.close();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await (await printer)?.close();
      await room.close();
    },
  };
}

async function launchPrinter(config: Settings, logger: Logger): Promise<Printer> {
  const browser = await findBrowser(config, { cacheFolder: path.join(config.DATA_DIR, 'browser') });
  return await openPrinter({ browser, fit: fitText, logger, sandbox: config.CHROMIUM_SANDBOX, pages: 1 });
}

function send(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
}

function tellChanges(response: ServerResponse, onChange: (listener: () => void) => () => void): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  response.on(
    'close',
    onChange(() => response.write('data: changed\n\n')),
  );
}
