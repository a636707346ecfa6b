/** Prints documents to PDF in a warm browser; survives crashes of its pages and of the browser. */
import type { Logger } from 'pino';
import type { TextFit } from '../layout/fit-text.ts';
import type { Assets } from './document-assets.ts';
import type { FoundBrowser } from './find-browser.ts';
import { PagePool } from './page-pool.ts';
import { type FitText, longDocument, type PageView } from './print-page.ts';

export interface PrintRequest {
  html: string;
  /** The only URLs that the document can load. */
  assets: Assets;
  /** Aborting cancels the print at once; `print` rejects with the signal's reason. */
  signal: AbortSignal;
}

export interface Printed {
  pdf: Buffer;
  fits: TextFit[];
}

export interface PrinterOptions {
  browser: FoundBrowser;
  /** Runs in each document before it is printed. */
  fit: FitText;
  logger: Logger;
  /** Chromium's own sandbox. Default: on, unless the process runs as root, where Chromium cannot. */
  sandbox?: boolean | undefined;
  /** Concurrent prints. Default 2. */
  pages?: number;
  /** Prints after which a page is replaced, because it grows by about 2 MB per print. Default 40. */
  printsPerPage?: number;
  /** After it the page is replaced and the print retried. Default 2 minutes. */
  printTimeoutMs?: number;
  /** Maximum prints that wait for a page. Default 32. */
  maxWaiting?: number;
}

/** Of prints, without screenshots. */
export interface PrinterCounts {
  prints: number;
  printing: number;
  waiting: number;
  /** Attempts after a page or the browser failed. */
  retries: number;
  pagesOpened: number;
  browserLaunches: number;
}

export interface Printer {
  /**
   * @throws ServiceError `browser-failed` after three attempts, `service-unavailable` when too many wait or the printer
   * closes; or the signal's reason
   */
  print(request: PrintRequest): Promise<Printed>;
  /**
   * A PNG of one page. Uses a separate browser, so that it never waits for a print; only this browser draws frames.
   * @throws as `print` does
   */
  screenshot(request: PrintRequest, view: PageView): Promise<Buffer>;
  counts(): PrinterCounts;
  /** Aborts running prints and closes the browsers. */
  close(): Promise<void>;
}

/** Launches the browser, so that a machine that cannot run it fails at once. @throws ServiceError `browser-failed` */
export async function openPrinter(options: PrinterOptions): Promise<Printer> {
  const prints = new PagePool({ ...poolOptions(options), drawsFrames: false, pages: options.pages ?? 2 });
  // Launches its browser for the first screenshot; most processes never make one.
  const screenshots = new PagePool({ ...poolOptions(options), drawsFrames: true, pages: 1 });
  const close = async () => void (await Promise.all([prints.close(), screenshots.close()]));
  let printed = 0;
  try {
    await prints.warmUp();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async print({ html, assets, signal }) {
      const result = await prints.run(signal, page => {
        if (html.length >= longDocument) for (const pool of [prints, screenshots]) pool.closeIdle();
        return page.print({ html, assets });
      });
      printed++;
      return result;
    },
    screenshot: ({ html, assets, signal }, view) =>
      screenshots.run(signal, page => page.screenshot({ html, assets }, view)),
    counts() {
      const { busy, ...counts } = prints.counts();
      return { prints: printed, printing: busy, ...counts };
    },
    close,
  };
}

const poolOptions = ({ browser, fit, logger, ...options }: PrinterOptions) => ({
  browser,
  fit,
  logger,
  sandbox: options.sandbox ?? process.getuid?.() !== 0,
  printsPerPage: options.printsPerPage ?? 40,
  printTimeoutMs: options.printTimeoutMs ?? 120_000,
  maxWaiting: options.maxWaiting ?? 32,
});
