/** Prints documents to PDF in a browser that is kept warm, whatever becomes of a page or of the browser meanwhile. */
import type { Logger } from 'pino';
import { ServiceError } from '../../../core/errors.ts';
import type { TextFit } from '../layout/fit-text.ts';
import type { Assets } from './asset-routes.ts';
import { type BrowserKeeper, keepBrowser } from './browser.ts';
import type { FoundBrowser } from './find-browser.ts';
import { closing, type Lane, Lanes } from './lanes.ts';
import { type FitText, openPrintPage, type PrintPage } from './print-page.ts';

export interface PrintRequest {
  html: string;
  /** All the document may load, by absolute URL; any other request of the page is refused. */
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
  /** A page grows by about 8 MB a print; after this many it is replaced. Default 40. */
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
  counts(): PrinterCounts;
  /** Gives up what is being printed, and ends the browser. */
  close(): Promise<void>;
}

const tries = 3;
const pageCloseTimeoutMs = 3_000;

/** Launches the browser, so that a machine where it cannot run is known at once. @throws ServiceError `browser-failed` */
export async function openPrinter(options: PrinterOptions): Promise<Printer> {
  const printer = new BrowserPrinter(options);
  await printer.warmUp();
  return printer;
}

class BrowserPrinter implements Printer {
  readonly #keeper: BrowserKeeper;
  readonly #lanes: Lanes;
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
  }

  async warmUp(): Promise<void> {
    try {
      for (const lane of this.#lanes.all) await this.#pageOf(lane);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async print(request: PrintRequest): Promise<Printed> {
    const lane = await this.#lanes.take(request.signal);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          const printed = await this.#printOnce(lane, request);
          this.#prints++;
          return printed;
        } catch (error) {
          const discarded = this.#discard(lane);
          request.signal.throwIfAborted();
          if (this.#closed) throw closing();
          if (attempt === tries) throw gaveUp(error);
          this.#retries++;
          this.#options.logger.warn({ err: error, attempt }, 'print lost with its page; trying again');
          // The next try must not meet a browser that is about to be ended.
          await discarded;
        }
      }
    } finally {
      if (lane.page && lane.page.prints >= (this.#options.printsPerPage ?? 40)) void this.#discard(lane);
      this.#lanes.give(lane);
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
    await this.#keeper.close();
    await Promise.all(this.#leaving);
  }

  async #printOnce(lane: Lane, { html, assets, signal }: PrintRequest): Promise<Printed> {
    const limit = this.#options.printTimeoutMs ?? 120_000;
    return await until(signal, limit, async stop => (await this.#pageOf(lane, stop)).print({ html, assets }));
  }

  async #pageOf(lane: Lane, stop?: AbortSignal): Promise<PrintPage> {
    if (lane.page) return lane.page;
    const browser = await this.#keeper.running();
    const page = await openPrintPage(browser, this.#options.fit, this.#options.logger);
    this.#pagesOpened++;
    if (stop?.aborted) {
      // The lane has gone on without this page.
      void this.#closePage(page);
      throw stop.reason;
    }
    lane.page = page;
    return page;
  }

  async #discard(lane: Lane): Promise<void> {
    const { page } = lane;
    lane.page = undefined;
    if (page) await this.#closePage(page);
  }

  /** Should the page not go, its browser does, and the other prints begin again on a new one. */
  #closePage(page: PrintPage): Promise<void> {
    const leaving = until(undefined, pageCloseTimeoutMs, () => page.close())
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

/** Runs the work until it ends, time is up or the signal says stop; work that goes on after that is left to itself. */
async function until<T>(
  signal: AbortSignal | undefined,
  limitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const timeUp = AbortSignal.timeout(limitMs);
  const stop = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
  stop.throwIfAborted();
  let stopped: (() => void) | undefined;
  const stopping = new Promise<never>((_, reject) => {
    stopped = () => reject(stop.reason);
    stop.addEventListener('abort', stopped, { once: true });
  });
  try {
    return await Promise.race([work(stop), stopping]);
  } finally {
    if (stopped) stop.removeEventListener('abort', stopped);
  }
}

function gaveUp(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('browser-failed', `The browser failed ${tries} times at printing this document.`, {
    cause,
  });
}
