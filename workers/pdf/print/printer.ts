/** Prints documents to PDF in a browser that is kept warm, whatever becomes of a page or of the browser meanwhile. */
import type { Logger } from 'pino';
import { ServiceError } from '../../../core/errors.ts';
import { browserPages, printSeconds } from '../../../core/telemetry/meter.ts';
import type { TextFit } from '../layout/fit-text.ts';
import { type BrowserKeeper, keepBrowser } from './browser.ts';
import type { FoundBrowser } from './find-browser.ts';
import type { Assets } from './inline-assets.ts';
import { closing, type Lane, Lanes } from './lanes.ts';
import { type FitText, manyListings, openPrintPage, type PageView, type PrintPage } from './print-page.ts';
import { within } from './time-limit.ts';

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
   * A PNG of one page, on a browser page of its own: it never waits for a print.
   * @throws as `print` does
   */
  picture(request: PrintRequest, view: PageView): Promise<Buffer>;
  counts(): PrinterCounts;
  /** Gives up what is being printed, and ends the browser. */
  close(): Promise<void>;
}

const tries = 3;
/** For a launch as for a page: on a machine under load either may take seconds. */
const openTimeoutMs = 45_000;
const pageCloseTimeoutMs = 5_000;

/** Launches the browser, so that a machine where it cannot run is known at once. @throws ServiceError `browser-failed` */
export async function openPrinter(options: PrinterOptions): Promise<Printer> {
  const printer = new BrowserPrinter(options);
  await printer.warmUp();
  return printer;
}

class BrowserPrinter implements Printer {
  readonly #keeper: BrowserKeeper;
  readonly #lanes: Lanes;
  readonly #pictureLanes: Lanes;
  readonly #options: PrinterOptions;
  readonly #leaving = new Set<Promise<void>>();
  #prints = 0;
  #retries = 0;
  #pagesOpened = 0;
  #closed = false;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#keeper = keepBrowser({
      browser: options.browser,
      sandbox: options.sandbox ?? process.getuid?.() !== 0,
      logger: options.logger,
    });
    this.#lanes = new Lanes(options.pages ?? 2, options.maxWaiting ?? 32);
    this.#pictureLanes = new Lanes(1, options.maxWaiting ?? 32);
  }

  async warmUp(): Promise<void> {
    try {
      for (const lane of this.#lanes.all) lane.page = await this.#openPage();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async print({ html, assets, signal }: PrintRequest): Promise<Printed> {
    const printed = await this.#onPage(this.#lanes, signal, page => {
      if (html.length >= manyListings) this.#closeIdle();
      return page.print({ html, assets });
    });
    this.#prints++;
    return printed;
  }

  async picture({ html, assets, signal }: PrintRequest, view: PageView): Promise<Buffer> {
    return await this.#onPage(this.#pictureLanes, signal, page => page.picture({ html, assets }, view));
  }

  async #onPage<T>(lanes: Lanes, signal: AbortSignal, work: (page: PrintPage) => Promise<T>): Promise<T> {
    const lane = await lanes.take(signal);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#workOnce(lane, signal, work);
        } catch (error) {
          const discarded = this.#discard(lane);
          signal.throwIfAborted();
          if (this.#closed) throw closing();
          if (attempt === tries) throw gaveUp(error);
          this.#retries++;
          this.#options.logger.warn({ err: error, attempt }, 'print lost with its page; trying again');
          // The next try must not meet a browser that is about to be ended.
          await discarded;
        }
      }
    } finally {
      // The document need not wait until its page is fit for the next one.
      void this.#tidy(lane).finally(() => lanes.give(lane));
    }
  }

  async #tidy(lane: Lane): Promise<void> {
    const { page } = lane;
    if (!page) return;
    if (page.prints >= (this.#options.printsPerPage ?? 40)) return void this.#discard(lane);
    try {
      await within(pageCloseTimeoutMs, undefined, () => page.collect());
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'a page could not be tidied; it is replaced');
      void this.#discard(lane);
    }
  }

  counts(): PrinterCounts {
    return {
      prints: this.#prints,
      printing: this.#lanes.busy,
      waiting: this.#lanes.waiting,
      retries: this.#retries,
      pagesOpened: this.#pagesOpened,
      browserLaunches: this.#keeper.launches,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#lanes.close();
    this.#pictureLanes.close();
    await this.#keeper.close();
    await Promise.all(this.#leaving);
  }

  async #workOnce<T>(lane: Lane, signal: AbortSignal, work: (page: PrintPage) => Promise<T>): Promise<T> {
    const page = lane.page ?? (await this.#openPage(signal));
    lane.page = page;
    const stop = printSeconds.startTimer();
    try {
      const done = await within(this.#options.printTimeoutMs ?? 120_000, signal, () => work(page));
      stop({ outcome: 'done' });
      return done;
    } catch (error) {
      stop({ outcome: signal.aborted ? 'given-up' : 'lost' });
      throw error;
    }
  }

  async #openPage(signal?: AbortSignal): Promise<PrintPage> {
    const browser = await within(openTimeoutMs, signal, () => this.#keeper.running());
    const opening = openPrintPage(browser, this.#options.fit, this.#options.logger);
    try {
      const page = await within(openTimeoutMs, signal, () => opening);
      this.#pagesOpened++;
      browserPages.inc();
      return page;
    } catch (error) {
      // Should the page come after all, nobody waits for it.
      opening.then(page => this.#closePage(page), ignoreKnownFailure);
      if (!signal?.aborted) this.#keeper.kill(browser);
      throw error;
    }
  }

  async #discard(lane: Lane): Promise<void> {
    const { page } = lane;
    lane.page = undefined;
    if (page) await this.#closePage(page);
  }

  /** A page that waits holds 30 to 100 MB, and is opened again in a tenth of a second when it is wanted. */
  #closeIdle(): void {
    for (const lane of [...this.#lanes.idle, ...this.#pictureLanes.idle]) void this.#discard(lane);
  }

  /** Should the page not go, its browser does, and the other prints begin again on a new one. */
  #closePage(page: PrintPage): Promise<void> {
    const leaving = within(pageCloseTimeoutMs, undefined, () => page.close())
      .catch((error: unknown) => {
        if (!page.browser.isConnected()) return;
        this.#options.logger.warn({ err: error }, 'a page could not be closed; ending its browser');
        this.#keeper.kill(page.browser);
      })
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    return leaving;
  }
}

/** Whoever waited for the page was told why it did not open. */
function ignoreKnownFailure(): void {}

function gaveUp(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('browser-failed', `The browser failed ${tries} times at printing this document.`, {
    cause,
  });
}
