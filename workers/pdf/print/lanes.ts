/** As many prints at once as there are pages; the others wait in line, and the line has an end. */
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { PrintPage } from './print-page.ts';

/** The right to print now, with the page that is kept for it. */
export interface Lane {
  page: PrintPage | undefined;
}

interface Waiting {
  take(lane: Lane): void;
  refuse(reason: unknown): void;
}

const retryAfterSeconds = 10;

export class Lanes {
  readonly all: readonly Lane[];
  readonly #idle: Lane[];
  readonly #line: Waiting[] = [];
  readonly #maxWaiting: number;
  #closed = false;

  constructor(lanes: number, maxWaiting: number) {
    this.all = Array.from({ length: lanes }, () => ({ page: undefined }));
    this.#idle = [...this.all];
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#line.length;
  }

  get busy(): number {
    return this.all.length - this.#idle.length;
  }

  /** Those that nobody prints on just now. */
  get idle(): readonly Lane[] {
    return this.#idle;
  }

  /** First come, first served. @throws ServiceError `service-unavailable` when the line is full; the signal's reason */
  async take(signal: AbortSignal): Promise<Lane> {
    signal.throwIfAborted();
    if (this.#closed) throw closing();
    // The lane used last has the warmest page.
    const lane = this.#idle.pop();
    if (lane) return lane;
    if (this.#line.length >= this.#maxWaiting) {
      throw new ServiceError('service-unavailable', 'Too many prints wait already; try again shortly.', {
        retryAfterSeconds,
      });
    }
    return await this.#wait(signal);
  }

  give(lane: Lane): void {
    const next = this.#line.shift();
    if (next) next.take(lane);
    else this.#idle.push(lane);
  }

  /** Refuses all that wait or come. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#line.splice(0)) waiting.refuse(closing());
  }

  #wait(signal: AbortSignal): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.splice(this.#line.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          signal.removeEventListener('abort', leave);
          settle(value);
        };
      };
      const waiting: Waiting = { take: settled(resolve), refuse: settled(reject) };
      signal.addEventListener('abort', leave, { once: true });
      this.#line.push(waiting);
    });
  }
}

export function closing(): ServiceError {
  return new ServiceError('service-unavailable', 'The printer is closing; the job will be taken up again.');
}
