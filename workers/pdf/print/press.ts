/** The pages of one browser that is kept warm: one piece of work a page at a time, again when a page or the browser is lost. */
import type { Logger } from 'pino';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { browserPages, printSeconds } from '../../../core/telemetry/meter.ts';
import { type BrowserKeeper, type BrowserKeeperOptions, keepBrowser } from './browser.ts';
import { closing, type Lane, Lanes } from './lanes.ts';
import { type FitText, openPrintPage, type PrintPage } from './print-page.ts';
import { within } from './time-limit.ts';

export interface PressOptions extends BrowserKeeperOptions {
  fit: FitText;
  pages: number;
  printsPerPage: number;
  printTimeoutMs: number;
  maxWaiting: number;
}

const tries = 3;
/** For a launch as for a page: on a machine under load either may take seconds. */
const openTimeoutMs = 45_000;
const pageCloseTimeoutMs = 5_000;

export class Press {
  readonly #keeper: BrowserKeeper;
  readonly #lanes: Lanes;
  readonly #options: PressOptions;
  readonly #logger: Logger;
  readonly #leaving = new Set<Promise<void>>();
  #retries = 0;
  #pagesOpened = 0;
  #closed = false;

  constructor(options: PressOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#keeper = keepBrowser(options);
    this.#lanes = new Lanes(options.pages, options.maxWaiting);
  }

  /** Launches the browser and opens its pages. @throws ServiceError `browser-failed` */
  async warmUp(): Promise<void> {
    for (const lane of this.#lanes.all) lane.page = await this.#openPage();
  }

  /**
   * @throws ServiceError `browser-failed` after three tries, `service-unavailable` when too many wait or the press
   * closes; or the signal's reason
   */
  async work<T>(signal: AbortSignal, work: (page: PrintPage) => Promise<T>): Promise<T> {
    const lane = await this.#lanes.take(signal);
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
          this.#logger.warn({ err: error, attempt }, 'print lost with its page; trying again');
          // The next try must not meet a browser that is about to be ended.
          await discarded;
        }
      }
    } finally {
      // The document need not wait until its page is fit for the next one.
      void this.#tidy(lane).finally(() => this.#lanes.give(lane));
    }
  }

  async #tidy(lane: Lane): Promise<void> {
    const { page } = lane;
    if (!page) return;
    if (page.prints >= this.#options.printsPerPage) return void this.#discard(lane);
    try {
      await within(pageCloseTimeoutMs, undefined, () => page.collect());
    } catch (error) {
      this.#logger.warn({ err: error }, 'a page could not be tidied; it is replaced');
      void this.#discard(lane);
    }
  }

  counts() {
    return {
      busy: this.#lanes.busy,
      waiting: this.#lanes.waiting,
      retries: this.#retries,
      pagesOpened: this.#pagesOpened,
      browserLaunches: this.#keeper.launches,
    };
  }

  /** A page that waits holds 30 to 100 MB, and is opened again in a tenth of a second when it is wanted. */
  closeIdle(): void {
    for (const lane of this.#lanes.idle) void this.#discard(lane);
  }

  /** Gives up what is under way, and ends the browser. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#lanes.close();
    await this.#keeper.close();
    await Promise.all(this.#leaving);
  }

  async #workOnce<T>(lane: Lane, signal: AbortSignal, work: (page: PrintPage) => Promise<T>): Promise<T> {
    const page = lane.page ?? (await this.#openPage(signal));
    lane.page = page;
    const stop = printSeconds.startTimer();
    try {
      const done = await within(this.#options.printTimeoutMs, signal, () => work(page));
      stop({ outcome: 'done' });
      return done;
    } catch (error) {
      stop({ outcome: signal.aborted ? 'given-up' : 'lost' });
      throw error;
    }
  }

  async #openPage(signal?: AbortSignal): Promise<PrintPage> {
    const browser = await within(openTimeoutMs, signal, () => this.#keeper.running());
    const opening = openPrintPage(browser, this.#options.fit, this.#logger);
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

  /** Should the page not go, its browser does, and the other prints begin again on a new one. */
  #closePage(page: PrintPage): Promise<void> {
    const leaving = within(pageCloseTimeoutMs, undefined, () => page.close())
      .catch((error: unknown) => {
        if (!page.browser.isConnected()) return;
        this.#logger.warn({ err: error }, 'a page could not be closed; ending its browser');
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
