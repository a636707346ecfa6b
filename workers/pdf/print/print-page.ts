/** A browser page without network that prints one document after another. */
import type { Logger } from 'pino';
import type { Browser, BrowserContext, CDPSession } from 'playwright';
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
  /** Default: PNG. A JPEG has a fifth of the bytes. */
  format?: 'png' | 'jpeg';
}

interface OpenedPage {
  context: BrowserContext;
  session: CDPSession;
  frameId: string;
  /** Runs after a document was loaded. */
  finishScript: string;
}

/** Garbage is collected after this many characters of documents: those of 30 listings. */
const collectAfter = 400_000;
const cssPixelsPerInch = 96;

/** The quality of pictures, at which small text stays crisp. */
const jpegQuality = 90;

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
  transferMode: 'ReturnAsBase64',
} as const;

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
  return new PrintPage(browser, { context, session, frameId, finishScript: finishScriptOf(fit) });
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
    const fits = await this.layOut(document);
    onLoaded?.();
    const { data } = await this.#opened.session.send('Page.printToPDF', printOptions);
    return { pdf: Buffer.from(data, 'base64'), fits };
  }

  /** @returns a picture of each view, as it is printed */
  async screenshots(document: PrintDocument, views: readonly PageView[]): Promise<Buffer[]> {
    await this.layOut(document);
    const captured: Buffer[] = [];
    for (const view of views) captured.push(await capture(this.#opened.session, view));
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

  /** Without timeouts of its own; those of the page pool cover it. @returns the adjustments of the text */
  async layOut({ html, assets }: PrintDocument): Promise<TextFit[]> {
    this.#prints++;
    this.#charactersSinceCollection += html.length;
    const { html: withoutFonts, faces } = extractFontFaces(html, assets);
    const loadFonts = this.#fonts.scriptFor(faces, neededFaces(withoutFonts, faces));
    const document = inlineAssets(withoutFonts, assets);
    const { session, frameId, finishScript } = this.#opened;
    if (loadFonts !== '') await run(session, loadFonts);
    // Sent together and executed in order, so that the page draws nothing in between.
    const [, fits] = await Promise.all([
      session.send('Page.setDocumentContent', { frameId, html: document }),
      run(session, finishScript),
    ]);
    return z.array(TextFit).parse(fits);
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

/** In CSS pixels. */
const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** @throws Error when the document has no such page */
async function capture(session: CDPSession, { selector, page, dpi, format = 'png' }: PageView): Promise<Buffer> {
  const pages = `document.querySelectorAll(${JSON.stringify(selector)})`;
  const box = Box.safeParse(await run(session, `${pages}[${page - 1}]?.getBoundingClientRect().toJSON()`)).data;
  if (!box) throw new Error(`The document has no page ${page}.`);
  const { data } = await session.send('Page.captureScreenshot', {
    format,
    quality: jpegQuality,
    captureBeyondViewport: true,
    optimizeForSpeed: true,
    clip: {
      x: box.x,
      y: box.y,
      width: Math.ceil(box.width),
      // Without the last row, which the page shares with the next one.
      height: Math.floor(box.height),
      scale: dpi / cssPixelsPerInch,
    },
  });
  return Buffer.from(data, 'base64');
}
