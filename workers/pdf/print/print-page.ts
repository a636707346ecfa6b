/** A browser page without network that prints one document after another. */
import type { Logger } from 'pino';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright';
import { z } from 'zod';
import { TextFit } from '../layout/fit-text.ts';
import { type Assets, extractFontFaces, inlineAssets, neededFaces, PageFonts } from './document-assets.ts';

/** Runs inside the page, so it must be self-contained. */
export type FitText = () => TextFit[];

export interface PrintDocument {
  html: string;
  /** The only URLs that the document can load. */
  assets: Assets;
}

export interface PageView {
  /** Matches the elements that are pages. */
  selector: string;
  /** Number of the page among them, from 1. */
  page: number;
  /** Pixels per inch on paper. */
  dpi: number;
}

interface OpenedPage {
  context: BrowserContext;
  page: Page;
  session: CDPSession;
  frameId: string;
  /** Runs after a document was loaded. */
  finishScript: string;
}

/** Characters of a document of 160 listings or more, whose print needs most of the memory. */
export const longDocument = 2_000_000;
const streamChunkBytes = 1024 * 1024;
const partCharacters = 256 * 1024;
/** Garbage is collected after this many characters of documents: those of 30 listings. */
const collectAfter = 400_000;
const cssPixelsPerInch = 96;

/** As wide as A4 at 96 dpi, so that text is measured as it is printed; 1 pixel high, so that almost nothing is drawn. */
const viewport = { width: 794, height: 1 };

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

const hideScript = 'document.documentElement.style.display = "none";';
const unhideScript = 'document.documentElement.style.removeProperty("display");';
const emptyScript = 'document.open(); document.write("<!doctype html>"); document.close();';

export async function openPrintPage(browser: Browser, fit: FitText, logger: Logger): Promise<PrintPage> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    offline: true,
    serviceWorkers: 'block',
    acceptDownloads: false,
    locale: 'en-US',
    timezoneId: 'UTC',
    viewport,
  });
  const page = await context.newPage();
  // Applies print styles while text is fitted, and loads fonts that only print styles use.
  await page.emulateMedia({ media: 'print', colorScheme: 'light', reducedMotion: 'reduce' });
  const session = await context.newCDPSession(page);
  await blockRequests(session, logger);
  page.on('crash', () => {
    // Calls to a crashed page may never return; calls to a closed one fail at once.
    context.close().catch((error: unknown) => logger.debug({ err: error }, 'a crashed page was closed already'));
  });
  const { frameTree } = await session.send('Page.getFrameTree');
  const frameId = frameTree.frame.id;
  return new PrintPage(browser, { context, page, session, frameId, finishScript: finishScriptOf(fit) });
}

/** Methods reject when the page crashes, is closed or loses its browser; the page cannot be used afterwards. */
export class PrintPage {
  readonly browser: Browser;
  readonly #opened: OpenedPage;
  readonly #fonts = new PageFonts();
  #prints = 0;
  #charactersSinceCollection = 0;

  constructor(browser: Browser, opened: OpenedPage) {
    this.browser = browser;
    this.#opened = opened;
  }

  /** Prints and screenshots started on this page. */
  get prints(): number {
    return this.#prints;
  }

  /** @param onLoaded called when the document is laid out */
  async print(document: PrintDocument, onLoaded?: () => void): Promise<{ pdf: Buffer; fits: TextFit[] }> {
    const fits = await this.#show(document);
    onLoaded?.();
    const isLong = document.html.length >= longDocument;
    // Frees about 40 MB that parsing a long document leaves behind.
    if (isLong) await this.#opened.session.send('HeapProfiler.collectGarbage');
    return { pdf: await printToPdf(this.#opened.session, isLong), fits };
  }

  /** @returns a PNG of each view, as it is printed */
  async screenshots(document: PrintDocument, views: readonly PageView[]): Promise<Buffer[]> {
    await this.#show(document);
    const captured: Buffer[] = [];
    for (const view of views) captured.push(await capture(this.#opened.page, this.#opened.session, view));
    return captured;
  }

  /** Call it between documents. Chromium does not collect garbage by itself: a page grows by 1.4 MB per listing. */
  async freeMemory(): Promise<void> {
    if (this.#charactersSinceCollection < collectAfter) return;
    // The document on display is not garbage.
    await run(this.#opened.session, emptyScript);
    await this.#opened.session.send('HeapProfiler.collectGarbage');
    this.#charactersSinceCollection = 0;
  }

  async close(): Promise<void> {
    await this.#opened.context.close();
  }

  /** Without timeouts of its own; those of the page pool cover it. */
  async #show({ html, assets }: PrintDocument): Promise<TextFit[]> {
    this.#prints++;
    this.#charactersSinceCollection += html.length;
    const { html: withoutFonts, faces } = extractFontFaces(html, assets);
    const loadFonts = this.#fonts.scriptFor(faces, neededFaces(withoutFonts, faces));
    const document = inlineAssets(withoutFonts, assets);
    if (loadFonts !== '') await run(this.#opened.session, loadFonts);
    return z.array(TextFit).parse(await this.#load(document));
  }

  async #load(html: string): Promise<unknown> {
    const { session, frameId, finishScript } = this.#opened;
    if (html.length >= longDocument) return await this.#loadInParts(html);
    // Sent together and executed in order, so that the page draws nothing in between.
    const [, fits] = await Promise.all([
      session.send('Page.setDocumentContent', { frameId, html }),
      run(session, finishScript),
    ]);
    return fits;
  }

  /** Saves holding the text of a long document in one piece beside its parsed form. */
  async #loadInParts(html: string): Promise<unknown> {
    const { session, finishScript } = this.#opened;
    await run(session, 'document.open();');
    for (let at = 0; at < html.length; at += partCharacters) {
      const part = JSON.stringify(html.slice(at, at + partCharacters));
      // Hidden, because each part would lay out and draw all parts before it again.
      await run(session, `document.write(${part}); ${hideScript}`);
    }
    return await run(session, `${unhideScript} document.close(); ${finishScript}`);
  }
}

/** Uses the Fetch domain of DevTools: Playwright's `route` lets requests pass that it cannot assign to a frame. */
async function blockRequests(session: CDPSession, logger: Logger): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId, resourceType, request }) => {
    logger.warn({ url: request.url }, 'blocked a request of a page');
    // For a navigation: 204 ends it without an error page, so the page or frame keeps its document.
    const blocking =
      resourceType === 'Document'
        ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 })
        : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    blocking.catch((error: unknown) => {
      // The page was closed or navigated in the meantime.
      logger.debug({ err: error }, 'a request of a page could not be blocked');
    });
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}

/** @throws Error when the script does */
async function run(session: CDPSession, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails)
    throw new Error(`A script in the page failed: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
  return result.value;
}

/**
 * Waits for images and fonts, fits the text, and waits for fonts again, because fitted text may need another face. Images
 * with `data:` URLs are complete after the microtask that loads them; `decode` is called for others only, because it draws
 * the whole document. esbuild, which runs our sources through tsx, wraps functions in `__name`.
 */
function finishScriptOf(fit: FitText): string {
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

async function printToPdf(session: CDPSession, isLong: boolean): Promise<Buffer> {
  if (!isLong) {
    const options = { ...printOptions, transferMode: 'ReturnAsBase64' } as const;
    const { data } = await session.send('Page.printToPDF', options);
    return Buffer.from(data, 'base64');
  }
  // In one piece a long PDF would take several times its size in memory.
  const options = { ...printOptions, transferMode: 'ReturnAsStream' } as const;
  const { stream: handle } = await session.send('Page.printToPDF', options);
  if (handle === undefined) throw new Error('The browser returned no stream for the PDF.');
  const chunks: Buffer[] = [];
  for (let isEnd = false; !isEnd; ) {
    const { data, eof } = await session.send('IO.read', { handle, size: streamChunkBytes });
    chunks.push(Buffer.from(data, 'base64'));
    isEnd = eof;
  }
  await session.send('IO.close', { handle });
  return Buffer.concat(chunks);
}

/** @throws Error when the document has no such page */
async function capture(page: Page, session: CDPSession, view: PageView): Promise<Buffer> {
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
      // Without the last row, which the page shares with the next one.
      height: Math.floor(box.height),
      scale: view.dpi / cssPixelsPerInch,
    },
  });
  return Buffer.from(data, 'base64');
}
