/** Prints documents to PDF in a browser that is kept warm, whatever becomes of a page or of the browser meanwhile. */
import type { Logger } from 'pino';
import type { TextFit } from '../layout/fit-text.ts';
import type { FoundBrowser } from './find-browser.ts';
import type { Assets } from './inline-assets.ts';
import { Press } from './press.ts';
import { type FitText, manyListings, type PageView } from './print-page.ts';

export interface PrintRequest {
  html: string;
  /** All the document may show, by absolute URL; anything else it asks for is refused. */
  assets: Assets;
  /** Aborting gives the print up at once; `print` rejects with the signal's reason. */
  signal: AbortSignal;
}

export interface Printed {
  pdf: Buffer;
  fits: TextFit[];
}

export interface PrinterOptions {
  browser: FoundBrowser;
  /** Runs in each loaded document before it is printed. */
  fit: FitText;
  logger: Logger;
  /** Chromium's own sandbox; by default on, unless the process runs as root, where it cannot be. */
  sandbox?: boolean | undefined;
  /** Prints at the same time. Default 2. */
  pages?: number;
  /** A page grows by some 2 MB a print whatever is done; after this many it is replaced. Default 40. */
  printsPerPage?: number;
  /** A print that takes longer hangs: its page is replaced and the print tried again. Default 2 minutes. */
  printTimeoutMs?: number;
  /** Prints that may wait for a page. Default 32. */
  maxWaiting?: number;
}

/** Of the prints; pictures are not counted. */
export interface PrinterCounts {
  prints: number;
  printing: number;
  waiting: number;
  /** Prints begun again because the page or the browser was lost. */
  retries: number;
  pagesOpened: number;
  browserLaunches: number;
}

export interface Printer {
  /**
   * @throws ServiceError `browser-failed` after three tries, `service-unavailable` when too many wait or the printer
   * closes; or the signal's reason
   */
  print(request: PrintRequest): Promise<Printed>;
  /**
   * A PNG of one page, in a browser of its own: it never waits for a print, and prints need no frames to be drawn.
   * @throws as `print` does
   */
  picture(request: PrintRequest, view: PageView): Promise<Buffer>;
  counts(): PrinterCounts;
  /** Gives up what is being printed, and ends the browser. */
  close(): Promise<void>;
}

/** Launches the browser, so that a machine where it cannot run is known at once. @throws ServiceError `browser-failed` */
export async function openPrinter(options: PrinterOptions): Promise<Printer> {
  const printing = new Press({ ...pressOptions(options), drawsFrames: false, pages: options.pages ?? 2 });
  // Its browser is launched with the first picture: most processes never make one.
  const picturing = new Press({ ...pressOptions(options), drawsFrames: true, pages: 1 });
  const close = async () => void (await Promise.all([printing.close(), picturing.close()]));
  let prints = 0;
  try {
    await printing.warmUp();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async print({ html, assets, signal }) {
      const printed = await printing.work(signal, page => {
        if (html.length >= manyListings) for (const press of [printing, picturing]) press.closeIdle();
        return page.print({ html, assets });
      });
      prints++;
      return printed;
    },
    picture: ({ html, assets, signal }, view) =>
      picturing.work(signal, page => page.picture({ html, assets }, view)),
    counts() {
      const { busy, ...counts } = printing.counts();
      return { prints, printing: busy, ...counts };
    },
    close,
  };
}

const pressOptions = ({ browser, fit, logger, ...options }: PrinterOptions) => ({
  browser,
  fit,
  logger,
  sandbox: options.sandbox ?? process.getuid?.() !== 0,
  printsPerPage: options.printsPerPage ?? 40,
  printTimeoutMs: options.printTimeoutMs ?? 120_000,
  maxWaiting: options.maxWaiting ?? 32,
});
