/**
 * Clicks in memory, written to PostgreSQL with one insert every 200 ms. A process that is killed loses those of its last
 * 200 ms; while PostgreSQL is away, clicks beyond `maxClicks` are dropped. A connection that breaks during an insert may
 * count the clicks of this insert twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Click, insertClicks } from '../../core/domain/links/clicks.ts';
import type { Database } from '../../core/postgres/client.ts';
import { withTimeout } from '../../core/runtime/timeout.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import { clicksDropped } from '../../core/telemetry/meter.ts';

const writeEveryMs = 200;
const maxPauseMs = 5_000;
/** One insert of this size occupies the event loop for about 10 ms. */
const clicksPerInsert = 5_000;
/** About 30 MB. */
const defaultMaxClicks = 100_000;
/** How long the shutdown waits for PostgreSQL. */
const lastWriteMs = 5_000;

export interface ClickBufferOptions {
  database: Database;
  logger: Logger;
  /** Less in tests. */
  maxClicks?: number;
}

export class ClickBuffer {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #maxClicks: number;
  readonly #stopping = new AbortController();
  readonly #writing: Promise<void>;
  #clicks: Click[] = [];
  #dropped = 0;

  constructor({ database, logger, maxClicks = defaultMaxClicks }: ClickBufferOptions) {
    this.#database = database;
    this.#logger = logger;
    this.#maxClicks = maxClicks;
    this.#writing = this.#writeUntilStopped();
  }

  add(click: Click): void {
    if (this.#clicks.length < this.#maxClicks) this.#clicks.push(click);
    else this.#dropped++;
  }

  /** Writes the last clicks if PostgreSQL answers in time; otherwise drops them. */
  async close(): Promise<void> {
    this.#stopping.abort();
    try {
      await withTimeout(
        this.#writing.then(() => this.#write()),
        lastWriteMs,
      );
    } catch (error) {
      this.#logger.warn({ err: error }, 'cannot write the last clicks');
      this.#dropped += this.#clicks.length;
    }
    this.#reportDropped();
  }

  async #writeUntilStopped(): Promise<void> {
    let pauseMs = writeEveryMs;
    while (!this.#stopping.signal.aborted) {
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      try {
        await this.#write();
        pauseMs = writeEveryMs;
      } catch (error) {
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
        this.#logger.warn(
          { err: error, pauseMs, clicks: this.#clicks.length },
          'cannot write clicks; they stay in memory',
        );
      }
      this.#reportDropped();
    }
  }

  /** Clicks leave the memory when they are written. */
  async #write(): Promise<void> {
    while (this.#clicks.length > 0) {
      const batch = this.#clicks.slice(0, clicksPerInsert);
      await insertClicks(this.#database, batch);
      this.#clicks.splice(0, batch.length);
    }
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    clicksDropped.inc(this.#dropped);
    this.#logger.error({ clicks: this.#dropped }, 'dropped clicks: PostgreSQL did not take them in time');
    this.#dropped = 0;
  }
}
