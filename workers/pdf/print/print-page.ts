/** One page of the browser that prints document after document. */

import type { Logger } from 'pino';
import type { Browser, CDPSession, Page } from 'playwright';
import type { TextFit } from '../layout/fit-text.ts';
import { gateDocuments } from './document-gate.ts';
import { pageDocument } from './page-document.ts';
import { type Assets, bytesOf } from './web-archive.ts';

/** Runs inside the page, so it may refer to nothing outside itself. */
export type FitText = () => TextFit[];

export interface PrintDocument {
  html: string;
  assets: Assets;
}

export interface PageView {
  /** The element that is the page. */
  selector: string;
  /** Which of those, from 1. */
  page: number;
  /** Pixels to an inch on paper. */
  dpi: number;
}

export interface PrintPage {
  readonly browser: Browser;
  /** Prints and pictures begun on this page. */
  readonly prints: number;
  /** Of all that their documents showed. */
  readonly bytes: number;
  /** Rejects when the page crashes, is closed or loses its browser; the page is of no use then. */
  print(document: PrintDocument): Promise<{ pdf: Buffer; fits: TextFit[] }>;
  /** A PNG of one of the document's pages as it is printed; rejects likewise. */
  picture(document: PrintDocument, view: PageView): Promise<Buffer>;
  close(): Promise<void>;
}

/** Above this Chromium hands the PDF over as a stream: slower by a seventh, but never twice in memory as base64. */
const streamFromBytes = 32 * 1024 * 1024;
const streamChunkBytes = 2 * 1024 * 1024;
/** What a PDF has besides its photos, at most; one that has more is copied once. */
const bytesBesidesPhotos = 16 * 1024 * 1024;
const cssPixelsPerInch = 96;

/** As wide as A4 at 96 dpi: what is measured on the page is what is printed. Nobody looks at it, so next to nothing is drawn. */
const screen = { width: 794, height: 1 };

const printOptions = {
  preferCSSPageSize: true,
  printBackground: true,
  generateTaggedPDF: true,
  generateDocumentOutline: true,
  marginTop: 0,
  marginRight: 0,
  marginBottom: 0,
  marginLeft: 0,
};

export async function openPrintPage(browser: Browser, fit: FitText, logger: Logger): Promise<PrintPage> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    offline: true,
    serviceWorkers: 'block',
    acceptDownloads: false,
    locale: 'en-US',
    timezoneId: 'UTC',
    viewport: screen,
  });
  const page = await context.newPage();
  // Print styles count while text is fitted, and fonts named only there are loaded before the print.
  await page.emulateMedia({ media: 'print', colorScheme: 'light', reducedMotion: 'reduce' });
  const session = await context.newCDPSession(page);
  const gate = await gateDocuments(session, logger);
  page.on('crash', () => {
    // What is under way on a crashed page may never answer; on a closed one it fails at once.
    context
      .close()
      .catch((error: unknown) => logger.debug({ err: error }, 'a crashed page was gone already'));
  });
  const script = fitScript(fit);
  let prints = 0;
  let bytes = 0;

  async function withDocument<T>(
    { html, assets }: PrintDocument,
    work: (fits: TextFit[]) => Promise<T>,
  ): Promise<T> {
    prints++;
    bytes += bytesOf(assets);
    const document = pageDocument(prints, html, assets);
    gate.open(document);
    try {
      // Time limits are the pool's: it also covers what has none here.
      await page.goto(document.url, { waitUntil: 'load', timeout: 0 });
      return await work(await page.evaluate<TextFit[]>(script));
    } finally {
      gate.open(undefined);
    }
  }

  return {
    browser,
    get prints() {
      return prints;
    },
    get bytes() {
      return bytes;
    },
    async print({ html, assets }) {
      return await withDocument({ html, assets }, async fits => ({
        pdf: await printToPdf(session, assets),
        fits,
      }));
    },
    async picture(document, view) {
      return await withDocument(document, () => pictureOf(page, session, view));
    },
    async close() {
      await context.close();
    },
  };
}

/**
 * Waits for the fonts, fits the text, and waits again, for a fitted text may ask for another face.
 * `__name` is what esbuild, which tsx runs our sources through, wraps functions in.
 */
function fitScript(fit: FitText): string {
  return `(async () => {
    const __name = value => value;
    const fontsLoaded = () => (document.body.offsetHeight, document.fonts.ready);
    await fontsLoaded();
    const fits = (${fit.toString()})();
    await fontsLoaded();
    return fits;
  })()`;
}

async function printToPdf(session: CDPSession, assets: Assets): Promise<Buffer> {
  // JPEG photos pass into the PDF as they are and are nearly all of it.
  const bytes = bytesOf(assets);
  if (bytes < streamFromBytes) {
    const { data } = await session.send('Page.printToPDF', {
      ...printOptions,
      transferMode: 'ReturnAsBase64',
    });
    return Buffer.from(data, 'base64');
  }
  const { stream } = await session.send('Page.printToPDF', {
    ...printOptions,
    transferMode: 'ReturnAsStream',
  });
  if (stream === undefined) throw new Error('The browser printed no stream.');
  return await readStream(session, stream, bytes + bytesBesidesPhotos);
}

/** Into one buffer: pages of it that are not written take no memory. */
async function readStream(session: CDPSession, handle: string, expectedBytes: number): Promise<Buffer> {
  let pdf = Buffer.allocUnsafeSlow(expectedBytes);
  let length = 0;
  for (let ended = false; !ended; ) {
    const { data, eof } = await session.send('IO.read', { handle, size: streamChunkBytes });
    const chunk = Buffer.from(data, 'base64');
    if (length + chunk.length > pdf.length) pdf = Buffer.concat([pdf], 2 * (length + chunk.length));
    length += chunk.copy(pdf, length);
    ended = eof;
  }
  await session.send('IO.close', { handle });
  return pdf.subarray(0, length);
}

/** @throws Error when the document has no such page */
async function pictureOf(page: Page, session: CDPSession, view: PageView): Promise<Buffer> {
  const pages = page.locator(view.selector);
  const box = view.page > (await pages.count()) ? null : await pages.nth(view.page - 1).boundingBox();
  if (box === null) throw new Error(`The document has no page ${view.page}.`);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: true,
    optimizeForSpeed: true,
    clip: {
      x: box.x,
      y: box.y,
      width: Math.ceil(box.width),
      // The row that a page shares with the next one is left out.
      height: Math.floor(box.height),
      scale: view.dpi / cssPixelsPerInch,
    },
  });
  return Buffer.from(data, 'base64');
}
