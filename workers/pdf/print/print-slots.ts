/** A fixed number of print slots, and a bounded queue of prints that wait for one. */
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { PrintPage } from './print-page.ts';

/** The right to print; it keeps its page from one print to the next. */
export interface PrintSlot {
  page: PrintPage | undefined;
}

interface Waiter {
  resolve(slot: PrintSlot): void;
  reject(reason: unknown): void;
}

const retryAfterSeconds = 10;

export class PrintSlots {
  readonly all: readonly PrintSlot[];
  readonly #idle: PrintSlot[];
  readonly #queue: Waiter[] = [];
  readonly #maxWaiting: number;
  #closed = false;

  constructor(count: number, maxWaiting: number) {
    this.all = Array.from({ length: count }, () => ({ page: undefined }));
    this.#idle = [...this.all];
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get busy(): number {
    return this.all.length - this.#idle.length;
  }

  /** In order of arrival. @throws ServiceError `service-unavailable` when the queue is full; the signal's reason */
  async acquire(signal: AbortSignal): Promise<PrintSlot> {
    signal.throwIfAborted();
    if (this.#closed) throw closingError();
    // The slot used last has the warmest page.
    const slot = this.#idle.pop();
    if (slot) return slot;
    if (this.#queue.length >= this.#maxWaiting) {
      throw new ServiceError('service-unavailable', 'Too many prints are waiting; try again shortly.', {
        retryAfterSeconds,
      });
    }
    return await this.#wait(signal);
  }

  release(slot: PrintSlot): void {
    const next = this.#queue.shift();
    if (next) next.resolve(slot);
    else this.#idle.push(slot);
  }

  /** Rejects all current and future waiters. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#queue.splice(0)) waiter.reject(closingError());
  }

  #wait(signal: AbortSignal): Promise<PrintSlot> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const settle =
        <T>(settlePromise: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', onAbort);
          settlePromise(value);
        };
      const waiter: Waiter = { resolve: settle(resolve), reject: settle(reject) };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(waiter);
    });
  }
}

export function closingError(): ServiceError {
  return new ServiceError('service-unavailable', 'The printer is closing; the job will be retried.');
}
