/**
 * Counts clicks off the request path, and each exactly once: they are appended to this process's journal (all requests
 * that came in together with one write), answered, and written to PostgreSQL in batches a moment later. What a killed
 * process left is counted by the next one. Memory stays as it is while PostgreSQL is away; the journal grows.
 */
import { mkdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countClicks, finishJournal, readTo } from '../../core/domain/links/clicks.ts';
import type { Click } from '../../core/domain/links/link.ts';
import type { Database } from '../../core/postgres/client.ts';
import type { Logger } from '../../core/telemetry/logger.ts';
import { ClickJournal, journalIdOf, type Part, readPartOfFile, removeFile } from './click-spool.ts';

const countEveryMs = 100;
/** Redirects go before counting: what a rush leaves behind is counted with pauses of so many times as long as a part takes. */
const restShare = 4;
const longestPauseMs = 5_000;
const touchEveryMs = 1_000;
/** A journal that nobody touched for so long is that of a process that died. */
const abandonedAfterMs = 3_000;
/** A journal that is counted is removed when it is idle for so long, or has grown. */
const idleMs = 10_000;
const largeBytes = 16 * 1024 * 1024;
/** How long the end of the process waits for PostgreSQL. */
const lastCountMs = 5_000;
/** Clicks that cannot be appended wait in memory; beyond this many bytes they are lost, and told of. */
const mostUnwritten = 8 * 1024 * 1024;

export interface ClickLogOptions {
  database: Database;
  folder: string;
  logger: Logger;
}

export class ClickLog {
  readonly #options: ClickLogOptions;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  readonly #counting: Promise<void>;
  readonly #toucher: NodeJS.Timeout;
  #journal: ClickJournal | undefined;
  #appendedAt = 0;
  #lookedForAbandonedAt = 0;
  #lines = '';
  #appending: Promise<void> | undefined;

  constructor(options: ClickLogOptions) {
    this.#options = options;
    this.#logger = options.logger;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#counting = this.#keepCounting();
    this.#toucher = setInterval(() => this.#journal?.touch(), touchEveryMs);
  }

  /** Resolves when the click outlives this process: at the end of this turn of the event loop. */
  add(click: Click): Promise<void> {
    this.#lines += `${JSON.stringify(click)}\n`;
    this.#appending ??= new Promise(resolve => {
      setImmediate(() => {
        this.#appending = undefined;
        this.#append();
        resolve();
      });
    });
    return this.#appending;
  }

  /** Counts what is there, if PostgreSQL answers in time; else the journal stays for the next process. */
  async close(): Promise<void> {
    await this.#appending;
    this.#stopping.abort();
    await this.#counting;
    clearInterval(this.#toucher);
    this.#append();
    try {
      await Promise.race([this.#countOwn(), sleep(lastCountMs, undefined, { ref: false })]);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the last clicks are left to the next process');
    }
    const journal = this.#journal;
    this.#journal = undefined;
    if (!journal) return;
    if (journal.counted === journal.size) await this.#finish(journal);
    else journal.abandon();
  }

  #append(): void {
    if (this.#lines === '') return;
    try {
      if (this.#journal?.isGone) {
        this.#journal.abandon();
        this.#journal = undefined;
      }
      this.#journal ??= new ClickJournal(this.#options.folder);
      this.#journal.append(this.#lines);
      this.#appendedAt = Date.now();
      this.#lines = '';
    } catch (error) {
      // The redirects go on.
      this.#logger.error({ err: error }, 'clicks cannot be appended to the journal; they wait in memory');
      if (this.#lines.length < mostUnwritten) return;
      this.#logger.error({ clicks: this.#lines.split('\n').length - 1 }, 'clicks were lost');
      this.#lines = '';
    }
  }

  async #keepCounting(): Promise<void> {
    let pauseMs = countEveryMs;
    while (!this.#stopping.signal.aborted) {
      try {
        const begun = performance.now();
        const isAllCounted = await this.#countPart();
        pauseMs = Math.max(isAllCounted ? countEveryMs : 0, restShare * (performance.now() - begun));
        await this.#countAbandoned();
      } catch (error) {
        pauseMs = Math.min(Math.max(pauseMs, countEveryMs) * 2, longestPauseMs);
        this.#logger.warn({ err: error, pauseMs }, 'clicks could not be counted; they wait in the journal');
      }
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      this.#append();
    }
  }

  async #countOwn(): Promise<void> {
    while (!(await this.#countPart()));
  }

  /** @returns whether all is counted; then a journal that has had its time is removed */
  async #countPart(): Promise<boolean> {
    const journal = this.#journal;
    if (!journal) return true;
    const part = journal.read();
    if (part) journal.counted = await this.#count(journal.id, part);
    // Another process has removed it meanwhile.
    if (this.#journal !== journal) return true;
    if (journal.counted < journal.size) return false;
    const isIdle = Date.now() - this.#appendedAt > idleMs;
    // In one turn of the event loop: nothing is appended between the look and the removal.
    if (!(isIdle || journal.size > largeBytes)) return true;
    this.#journal = undefined;
    await this.#finish(journal);
    return true;
  }

  async #countAbandoned(): Promise<void> {
    if (Date.now() - this.#lookedForAbandonedAt < touchEveryMs) return;
    this.#lookedForAbandonedAt = Date.now();
    for (const name of await readdir(this.#options.folder)) {
      const id = journalIdOf(name);
      if (id === undefined || id === this.#journal?.id) continue;
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
    await finishJournal(this.#options.database, id);
    this.#logger.info({ journal: id, bytes: counted }, 'counted the clicks that a process left');
  }

  /** @returns how far the journal is counted now, by whomever */
  async #count(journalId: string, part: Part): Promise<number> {
    const isCounted = await countClicks(this.#options.database, { journalId, ...part });
    return isCounted ? part.to : await readTo(this.#options.database, journalId);
  }

  async #finish(journal: ClickJournal): Promise<void> {
    journal.remove();
    await finishJournal(this.#options.database, journal.id);
  }
}
