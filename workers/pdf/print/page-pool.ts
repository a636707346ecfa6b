/** A pool of warm browser pages: one task per page at a time, retried when its page or the browser fails. */
import type { Logger } from 'pino';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { createTimeout, untilAborted, withTimeout } from '../../../core/runtime/timeout.ts';
import { printSeconds } from '../../../core/telemetry/meter.ts';
import { type BrowserSupervisor, type BrowserSupervisorOptions, superviseBrowser } from './browser.ts';
import { type FitText, openPrintPage, type PrintPage } from './print-page.ts';
import { closingError, type PrintSlot, PrintSlots } from './print-slots.ts';

export interface PagePoolOptions extends BrowserSupervisorOptions {
  /** Runs in each document before it is printed. */
  fit: FitText;
  /** Concurrent prints. Default 2. */
  pages?: number;
  /** Prints after which a page is replaced, because it grows by about 2 MB per print. Default 40. */
  printsPerPage?: number;
  /** After it the page is replaced and the print retried. Default 2 minutes. */
  printTimeoutMs?: number;
  /** Maximum prints that wait for a page. Default 32. */
  maxWaiting?: number;
}

const maxAttempts = 3;
/** The time limit of a launch or a new page: under load either may take seconds. */
const openTimeoutMs = 45_000;
const pageCloseTimeoutMs = 5_000;

export class PagePool {
  readonly #supervisor: BrowserSupervisor;
  readonly #slots: PrintSlots;
  readonly #options: PagePoolOptions;
  readonly #logger: Logger;
  readonly #closingPages = new Set<Promise<void>>();
  #retries = 0;
  #pagesOpened = 0;
  #closed = false;

  constructor(options: PagePoolOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#supervisor = superviseBrowser(options);
    this.#slots = new PrintSlots(options.pages ?? 2, options.maxWaiting ?? 32);
  }

  /** Launches the browser and opens its pages. @throws ServiceError `browser-failed` */
  async warmUp(): Promise<void> {
    for (const slot of this.#slots.all) slot.page = await this.#openPage();
  }

  /**
   * @throws ServiceError `browser-failed` after three attempts, `service-unavailable` when too many tasks wait or the pool
   * closes; or the signal's reason
   */
  async run<T>(signal: AbortSignal, task: (page: PrintPage) => Promise<T>): Promise<T> {
    const slot = await this.#slots.acquire(signal);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(slot, signal, task);
        } catch (error) {
          const discarded = this.#discard(slot);
          signal.throwIfAborted();
          if (this.#closed) throw closingError();
          if (attempt === maxAttempts) throw finalError(error);
          this.#retries++;
          this.#logger.warn({ err: error, attempt }, 'print failed with its page; retrying');
          // Discarding may kill the browser, which the next attempt must not use.
          await discarded;
        }
      }
    } finally {
      // Returns the result without waiting until the page is ready for the next task.
      void this.#prepareForNext(slot).finally(() => this.#slots.release(slot));
    }
  }

  /** Whether the browser runs in its own sandbox. */
  get isSandboxed(): boolean {
    return this.#supervisor.isSandboxed;
  }

  counts() {
    return {
      busy: this.#slots.busy,
      waiting: this.#slots.waiting,
      retries: this.#retries,
      pagesOpened: this.#pagesOpened,
      browserLaunches: this.#supervisor.launches,
    };
  }

  /** Aborts running tasks and closes the browser. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#slots.close();
    await this.#supervisor.close();
    await Promise.all(this.#closingPages);
  }

  async #attempt<T>(slot: PrintSlot, signal: AbortSignal, task: (page: PrintPage) => Promise<T>): Promise<T> {
    const page = slot.page ?? (await this.#openPage(signal));
    slot.page = page;
    const stop = printSeconds.startTimer();
    const { printTimeoutMs = 120_000 } = this.#options;
    try {
      const result = await untilAbortedOrTimeout(printTimeoutMs, signal, () => task(page));
      stop({ outcome: 'done' });
      return result;
    } catch (error) {
      stop({ outcome: signal.aborted ? 'given-up' : 'lost' });
      throw error;
    }
  }

  async #prepareForNext(slot: PrintSlot): Promise<void> {
    const { page } = slot;
    const { printsPerPage = 40 } = this.#options;
    if (!page) return;
    if (page.prints >= printsPerPage) return void this.#discard(slot);
    try {
      await withTimeout(page.freeMemory(), pageCloseTimeoutMs);
    } catch (error) {
      this.#logger.warn({ err: error }, 'memory of a page could not be freed; replacing the page');
      void this.#discard(slot);
    }
  }

  async #openPage(signal?: AbortSignal): Promise<PrintPage> {
    const browser = await untilAbortedOrTimeout(openTimeoutMs, signal, () => this.#supervisor.browser());
    const opening = openPrintPage(browser, this.#options.fit, this.#logger);
    try {
      const page = await untilAbortedOrTimeout(openTimeoutMs, signal, () => opening);
      this.#pagesOpened++;
      return page;
    } catch (error) {
      // Closes a page that opens too late; its failure has been thrown here already.
      opening.then(
        page => this.#closePage(page),
        () => undefined,
      );
      if (!signal?.aborted) this.#supervisor.kill(browser);
      throw error;
    }
  }

  async #discard(slot: PrintSlot): Promise<void> {
    const { page } = slot;
    slot.page = undefined;
    if (page) await this.#closePage(page);
  }

  /** Kills the browser when the page does not close; its other prints are retried in a new one. */
  #closePage(page: PrintPage): Promise<void> {
    const closing = withTimeout(page.close(), pageCloseTimeoutMs)
      .catch((error: unknown) => {
        if (!page.browser.isConnected()) return;
        this.#logger.warn({ err: error }, 'a page could not be closed; killing its browser');
        this.#supervisor.kill(page.browser);
      })
      .finally(() => this.#closingPages.delete(closing));
    this.#closingPages.add(closing);
    return closing;
  }
}

/** The work itself continues after a timeout. @throws the signal's reason when it aborts, or TimeoutError */
async function untilAbortedOrTimeout<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const timeout = createTimeout(timeoutMs, signal);
  try {
    return await untilAborted(work(), timeout.signal);
  } finally {
    timeout.clear();
  }
}

function finalError(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  const message = `The browser failed to print this document ${maxAttempts} times.`;
  return new ServiceError('browser-failed', message, { cause });
}
