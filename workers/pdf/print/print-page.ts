/** One page of the browser that prints document after document. */

import type { Logger } from 'pino';
import type { Browser, CDPSession, Page } from 'playwright';
import { z } from 'zod';
import { TextFit } from '../layout/fit-text.ts';
import { neededFaces, takeFontFaces } from './font-faces.ts';
import { type Assets, inlineAssets } from './inline-assets.ts';
import { PageFonts } from './page-fonts.ts';
import { refuseRequests } from './refuse-requests.ts';

const TextFits = z.array(TextFit);

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
  /** Rejects when the page crashes, is closed or loses its browser; the page is of no use then. */
  print(document: PrintDocument): Promise<{ pdf: Buffer; fits: TextFit[] }>;
  /** A PNG of one of the document's pages as it is printed; rejects likewise. */
  picture(document: PrintDocument, view: PageView): Promise<Buffer>;
  /** Frees what the documents shown so far took, once it is much; best between two of them. */
  collect(): Promise<void>;
  close(): Promise<void>;
}

/** In characters of a document: 160 listings or more, whose print takes memory that others should leave to it. */
export const manyListings = 2_000_000;
const streamChunkBytes = 1024 * 1024;
const partCharacters = 256 * 1024;
/** In characters of documents: some thirty listings. */
const collectFrom = 400_000;
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
  await refuseRequests(session, logger);
  page.on('crash', () => {
    // What is under way on a crashed page may never answer; on a closed one it fails at once.
    context
      .close()
      .catch((error: unknown) => logger.debug({ err: error }, 'a crashed page was gone already'));
  });
  const { frameTree } = await session.send('Page.getFrameTree');
  const finish = finishing(fit);
  const fonts = new PageFonts();
  let prints = 0;
  let uncollected = 0;

  /** Time limits are the pool's: it also covers what has none here. */
  async function show({ html, assets }: PrintDocument): Promise<TextFit[]> {
    prints++;
    uncollected += html.length;
    const taken = takeFontFaces(html, assets);
    const loadFonts = fonts.scriptFor(taken.faces, neededFaces(taken.html, taken.faces));
    const document = inlineAssets(taken.html, assets);
    if (loadFonts !== '') await run(session, loadFonts);
    if (document.length >= manyListings) return await showInParts(document);
    // Sent together, and a session's messages are carried out in order: the page draws nothing in between.
    const [, fits] = await Promise.all([
      session.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html: document }),
      run(session, finish),
    ]);
    return TextFits.parse(fits);
  }

  /** A long document's text need not be held as a whole beside what the browser makes of it. */
  async function showInParts(html: string): Promise<TextFit[]> {
    await run(session, 'document.open();');
    for (let at = 0; at < html.length; at += partCharacters) {
      const part = JSON.stringify(html.slice(at, at + partCharacters));
      // Unseen, or all that came so far would be laid out and drawn anew for each part.
      await run(session, `document.write(${part}); ${hiding}`);
    }
    return TextFits.parse(await run(session, `${showing} document.close(); ${finish}`));
  }

  return {
    browser,
    get prints() {
      return prints;
    },
    async print(document) {
      const fits = await show(document);
      // What was left over from reading a long document makes room for printing it: some 40 MB.
      if (document.html.length >= manyListings) await session.send('HeapProfiler.collectGarbage');
      return { pdf: await printToPdf(session, document.html), fits };
    },
    async picture(document, view) {
      await show(document);
      return await pictureOf(page, session, view);
    },
    // Chromium sees no need by itself: a page would grow by 1.4 MB a listing until it is replaced.
    async collect() {
      if (uncollected < collectFrom) return;
      // What is still shown is no garbage.
      await run(session, emptying);
      await session.send('HeapProfiler.collectGarbage');
      uncollected = 0;
    },
    async close() {
      await context.close();
    },
  };
}

/** @throws Error when the script does */
async function run(session: CDPSession, expression: string): Promise<unknown> {
  const ran = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  if (ran.exceptionDetails)
    throw new Error(
      `The page failed: ${ran.exceptionDetails.exception?.description ?? ran.exceptionDetails.text}`,
    );
  return ran.result.value;
}

const hiding = 'document.documentElement.style.display = "none";';
const showing = 'document.documentElement.style.removeProperty("display");';

/**
 * Waits for a document's pictures and fonts, fits the text, and waits for fonts again, for a fitted text may ask for
 * another face. Pictures in `data:` addresses are there once the microtask that loads them ran; only others are waited
 * for, since `decode` has the whole document drawn. `__name` is what esbuild, which tsx runs our sources through, wraps
 * functions in.
 */
function finishing(fit: FitText): string {
  return `(async () => {
    const __name = value => value;
    const fontsLoaded = () => (document.body.offsetHeight, document.fonts.ready);
    await undefined;
    const loading = [...document.images].filter(image => !image.complete);
    await Promise.allSettled(loading.map(image => image.decode()));
    await fontsLoaded();
    const fits = (${fit.toString()})();
    await fontsLoaded();
    return fits;
  })()`;
}

const emptying = 'document.open(); document.write("<!doctype html>"); document.close();';

async function printToPdf(session: CDPSession, html: string): Promise<Buffer> {
  // A long PDF comes in parts: in one piece it would take its size several times over.
  if (html.length < manyListings) {
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
  return await readStream(session, stream);
}

async function readStream(session: CDPSession, handle: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let ended = false; !ended; ) {
    const { data, eof } = await session.send('IO.read', { handle, size: streamChunkBytes });
    chunks.push(Buffer.from(data, 'base64'));
    ended = eof;
  }
  await session.send('IO.close', { handle });
  return Buffer.concat(chunks);
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
