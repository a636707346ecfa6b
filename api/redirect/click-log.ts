/**
 * Counts each click exactly once, off the request path: appends clicks to the spool of this process (one write for all
 * requests of one event-loop turn), and writes them to PostgreSQL in batches. Also counts what killed processes left.
 * While PostgreSQL is down the spool grows, memory does not.
 */
import { mkdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Click, countClicks, finishSpool, readTo } from '../../core/domain/links/clicks.ts';
import type { Database } from '../../core/postgres/client.ts';
import { deferred, withTimeout } from '../../core/runtime/timeout.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import { ClickSpool, type Part, readPartOfFile, removeFile, spoolIdOf } from './click-spool.ts';

const countEveryMs = 100;
/** Under load, pauses this many times the duration of a batch, so that redirects keep priority over counting. */
const pauseFactor = 4;
const maxPauseMs = 5_000;
const heartbeatMs = 1_000;
/** A spool without a heartbeat for this long belongs to a dead process. */
const abandonedAfterMs = 3_000;
/** A counted spool is deleted when it is idle for this long or larger than `maxSpoolBytes`. */
const idleMs = 10_000;
const maxSpoolBytes = 16 * 1024 * 1024;
/** How long the shutdown waits for PostgreSQL. */
const lastCountMs = 5_000;
/**
 * Beyond this, redirects wait for the counting, so that a lost disk costs at most 200,000 clicks: one has at least 170 bytes,
 * and those of one event-loop turn come on top.
 */
const defaultMaxUncountedBytes = 32 * 1024 * 1024;
/** Redirects wait no longer for a slow PostgreSQL, and not at all for one that is down. */
const maxWaitMs = 2_000;
/** Clicks that cannot be appended stay in memory; beyond this many characters they are dropped and logged. */
const maxUnwritten = 8 * 1024 * 1024;

export interface ClickLogOptions {
  database: Database;
  folder: string;
  logger: Logger;
  /** Less in tests. */
  maxUncountedBytes?: number;
}

export class ClickLog {
  readonly #options: ClickLogOptions;
  readonly #logger: Logger;
  readonly #maxUncountedBytes: number;
  readonly #stopping = new AbortController();
  readonly #counting: Promise<void>;
  readonly #heartbeat: NodeJS.Timeout;
  #spool: ClickSpool | undefined;
  #appendedAt = 0;
  #checkedAbandonedAt = 0;
  #lines = '';
  #isKeepingUp = true;
  /** Settles when the next part is counted, or cannot be. */
  #nextCount = deferred<void>();
  #appending: Promise<void> | undefined;

  constructor(options: ClickLogOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#maxUncountedBytes = options.maxUncountedBytes ?? defaultMaxUncountedBytes;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#counting = this.#countUntilStopped();
    this.#heartbeat = setInterval(() => this.#spool?.touch(), heartbeatMs);
  }

  /** Resolves when the click is in the spool file, at the end of this event-loop turn unless too many are uncounted. */
  add(click: Click): Promise<void> {
    this.#lines += `${JSON.stringify(click)}\n`;
    this.#appending ??= new Promise(resolve => {
      setImmediate(() => {
        this.#appending = undefined;
        this.#append();
        resolve(this.#uncountedBytes > this.#maxUncountedBytes ? this.#keepUp() : undefined);
      });
    });
    return this.#appending;
  }

  /** Counts the rest if PostgreSQL answers in time; otherwise leaves the spool for the next process. */
  async close(): Promise<void> {
    await this.#appending;
    this.#stopping.abort();
    await this.#counting;
    clearInterval(this.#heartbeat);
    this.#append();
    try {
      await withTimeout(this.#countOwn(), lastCountMs, () => undefined);
    } catch (error) {
      this.#logger.warn({ err: error }, 'cannot count the last clicks; the next process counts them');
    }
    const spool = this.#spool;
    this.#spool = undefined;
    if (!spool) return;
    if (spool.counted === spool.size) await this.#finish(spool);
    else spool.abandon();
  }

  get #uncountedBytes(): number {
    return this.#spool ? this.#spool.size - this.#spool.counted : 0;
  }

  async #keepUp(): Promise<void> {
    while (this.#isKeepingUp && this.#uncountedBytes > this.#maxUncountedBytes) {
      await withTimeout(this.#nextCount.promise, maxWaitMs, () => {
        this.#isKeepingUp = false;
      });
    }
  }

  #endCount(isKeepingUp: boolean): void {
    this.#isKeepingUp = isKeepingUp;
    this.#nextCount.resolve();
    this.#nextCount = deferred();
  }

  /** Never throws: redirects continue when the disk is full. */
  #append(): void {
    if (this.#lines === '') return;
    try {
      if (this.#spool?.isDeleted) {
        this.#spool.abandon();
        this.#spool = undefined;
      }
      this.#spool ??= new ClickSpool(this.#options.folder);
      this.#spool.append(this.#lines);
      this.#appendedAt = Date.now();
      this.#lines = '';
    } catch (error) {
      this.#logger.error({ err: error }, 'cannot write clicks to the spool file; they stay in memory');
      if (this.#lines.length < maxUnwritten) return;
      this.#logger.error({ clicks: this.#lines.split('\n').length - 1 }, 'dropped clicks: no memory left');
      this.#lines = '';
    }
  }

  async #countUntilStopped(): Promise<void> {
    let pauseMs = countEveryMs;
    while (!this.#stopping.signal.aborted) {
      try {
        const begun = performance.now();
        const isAllCounted = await this.#countPart();
        pauseMs = Math.max(isAllCounted ? countEveryMs : 0, pauseFactor * (performance.now() - begun));
        if (this.#uncountedBytes > this.#maxUncountedBytes / 2) pauseMs = 0;
        await this.#countAbandoned();
      } catch (error) {
        this.#endCount(false);
        pauseMs = Math.min(Math.max(pauseMs, countEveryMs) * 2, maxPauseMs);
        this.#logger.warn({ err: error, pauseMs }, 'cannot count clicks; they stay in the spool file');
      }
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      this.#append();
    }
  }

  async #countOwn(): Promise<void> {
    while (!(await this.#countPart()));
  }

  /** Deletes the spool when it is counted and idle or large. @returns whether everything is counted */
  async #countPart(): Promise<boolean> {
    const spool = this.#spool;
    if (!spool) return true;
    const part = spool.read();
    if (part) {
      spool.counted = await this.#count(spool.id, part);
      this.#endCount(true);
    }
    // Replaced while it was counted, because another process deleted it.
    if (this.#spool !== spool) return true;
    if (spool.counted < spool.size) return false;
    const isIdle = Date.now() - this.#appendedAt > idleMs;
    if (!(isIdle || spool.size > maxSpoolBytes)) return true;
    // No await between the size check and this line: nothing can be appended to the spool that is deleted.
    this.#spool = undefined;
    await this.#finish(spool);
    return true;
  }

  async #countAbandoned(): Promise<void> {
    if (Date.now() - this.#checkedAbandonedAt < heartbeatMs) return;
    this.#checkedAbandonedAt = Date.now();
    for (const name of await readdir(this.#options.folder)) {
      const id = spoolIdOf(name);
      if (id === undefined || id === this.#spool?.id) continue;
      const file = path.join(this.#options.folder, name);
      const found = await stat(file).catch(() => undefined);
      if (!found || Date.now() - found.mtimeMs < abandonedAfterMs) continue;
      await this.#countFile(id, file);
    }
  }

  async #countFile(id: string, file: string): Promise<void> {
    let counted = await readTo(this.#options.database, id);
    for (let part = readPartOfFile(file, counted); part; part = readPartOfFile(file, counted)) {
      counted = await this.#count(id, part);
    }
    removeFile(file);
    await finishSpool(this.#options.database, id);
    this.#logger.info({ spool: id, bytes: counted }, 'counted the clicks of a process that ended');
  }

  /** @returns the byte offset up to which the spool is counted, by this or another process */
  async #count(spoolId: string, part: Part): Promise<number> {
    const isCounted = await countClicks(this.#options.database, { spoolId, ...part });
    return isCounted ? part.to : await readTo(this.#options.database, spoolId);
  }

  async #finish(spool: ClickSpool): Promise<void> {
    spool.remove();
    await finishSpool(this.#options.database, spool.id);
  }
}
