/** One run of a job: its claim on the row, heartbeats, progress and the reasons to stop it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BadRow } from '../../core/integrations/kit/call-context.ts';
import { badRowText } from '../../core/integrations/kit/read-rows.ts';
import type { JobContract } from '../../core/jobs/contract.ts';
import type { Checkpoint } from '../../core/jobs/handler.ts';
import type { JobRun, Progress, Warning } from '../../core/jobs/record.ts';
import type { JobRecords } from '../../core/jobs/repository/repository.ts';
import type { Db } from '../../core/postgres/client.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

export type StopReason = 'cancelled' | 'timed-out' | 'shutdown' | 'claim-lost';

/** The reason of a run's aborted signal. */
class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`the run was stopped: ${reason}`);
    this.reason = reason;
  }
}

/** Minimum time between writes of progress in different stages, or of at least `minPercent` more. */
const tickMs = 100;
const minPercent = 5;
/** Minimum time between other writes of progress. */
const progressEveryMs = 1_000;
/** Maximum time between heartbeats, which also detect cancellation without a notification. */
const heartbeatEveryMs = 2_000;
const maxWarnings = 500;

export interface RunTimes {
  timeoutMs: number;
  /** No other worker takes the job over within this time after a heartbeat. */
  takeoverDelayMs: number;
}

type ClaimedRecords = Pick<JobRecords, 'saveProgress' | 'checkpoint' | 'saveCheckpoint' | 'confirmClaim'>;

export class Run {
  readonly claim: JobRun;
  readonly #warnings: Warning[] = [];
  /** Rows of outside systems that could not be read. */
  badRows: ReadonlyMap<string, BadRow> = new Map();
  /** The outside systems that the sandbox replaced. */
  sandboxes: ReadonlySet<string> = new Set();
  /** What its calls to outside systems wait for before they are sent. */
  waits: ReadonlySet<{ reason: string }> = new Set();
  /** The wait during which the run was stopped. */
  stoppedWait: string | undefined;
  readonly checkpoint: Checkpoint = {
    read: () => this.#records.checkpoint(this.claim.jobId),
    write: async (value, db) => this.#unlessLost(await this.#records.saveCheckpoint(this.claim, value, db)),
  };
  readonly #takeoverDelayMs: number;
  readonly #records: ClaimedRecords;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  readonly #ticker: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout;
  #saved: Progress | undefined;
  #unsaved: Progress | undefined;
  #savedAt = Date.now();
  /** Start of the last successful heartbeat, by `performance.now()`. */
  #claimedAt = performance.now();
  #saving = false;

  constructor(jobId: string, { timeoutMs, takeoverDelayMs }: RunTimes, records: ClaimedRecords, logger: Logger) {
    this.claim = { jobId, runId: randomUUID() };
    this.#takeoverDelayMs = takeoverDelayMs;
    this.#records = records;
    this.#logger = logger;
    this.#ticker = setInterval(() => void this.#tick(), tickMs);
    this.#deadline = setTimeout(() => this.stop('timed-out'), timeoutMs);
  }

  /** Those of the handler, then one for each row that could not be read. */
  get warnings(): Warning[] {
    const unreadable = [...this.badRows.values()].map(row => ({
      pointer: '',
      code: 'unreadable-row',
      detail: `Left out, because it could not be read: ${badRowText(row)}`,
    }));
    return [...this.#warnings, ...unreadable].slice(0, maxWarnings);
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Last reported. */
  get stage(): string | undefined {
    return (this.#unsaved ?? this.#saved)?.stage;
  }

  get stopReason(): StopReason | undefined {
    const reason: unknown = this.signal.reason;
    return reason instanceof RunStopped ? reason.reason : undefined;
  }

  stop(reason: StopReason): void {
    // Before the abort, which ends the waits.
    if (!this.signal.aborted) this.stoppedWait = this.#wait;
    if (!this.signal.aborted) this.#stopping.abort(new RunStopped(reason));
  }

  progress(stage: string, done: number, total: number, percent: number): void {
    const shown = (this.#unsaved ?? this.#saved)?.percent ?? 0;
    this.#unsaved = { stage, done, total, percent: Math.max(shown, Math.min(100, Math.round(percent))) };
  }

  warn(warning: Warning): void {
    if (this.#warnings.length < maxWarnings) this.#warnings.push(warning);
  }

  /** Writes progress as a heartbeat and reads claim and cancellation; also called when a change is announced. */
  async refresh(): Promise<void> {
    if (this.#saving) return;
    this.#saving = true;
    const progress = this.#unsaved;
    this.#unsaved = undefined;
    const askedAt = performance.now();
    try {
      const { claimed, cancelRequested } = await this.#records.saveProgress(this.claim, progress, this.#wait ?? null);
      if (!claimed) this.stop('claim-lost');
      else if (cancelRequested) this.stop('cancelled');
      if (claimed) this.#claimedAt = askedAt;
      this.#saved = progress ?? this.#saved;
      this.#savedAt = Date.now();
    } catch (error) {
      // The work continues; the next tick retries.
      this.#unsaved ??= progress;
      this.#logger.warn({ err: error }, 'progress not written; will be retried');
    } finally {
      this.#saving = false;
    }
  }

  /** The last step of a transaction. @throws RunStopped when another run has taken the job over */
  async confirmClaim(db: Db): Promise<void> {
    this.#unlessLost(await this.#records.confirmClaim(this.claim, db));
  }

  /**
   * Waits until the claim is confirmed. Call it before external effects: a process that was suspended may resume after
   * another run has taken the job over. @throws RunStopped
   */
  async fence(): Promise<void> {
    while (performance.now() - this.#claimedAt > this.#takeoverDelayMs) {
      const before = this.#claimedAt;
      await this.refresh();
      this.signal.throwIfAborted();
      // The database is unavailable, or another refresh is in progress.
      if (this.#claimedAt === before) await sleep(tickMs);
    }
  }

  /** Stops the timers; no more progress is written. */
  close(): void {
    clearInterval(this.#ticker);
    clearTimeout(this.#deadline);
  }

  /** Settles as the work does; rejects some time after the stop, for work that ignores the signal. */
  async unlessStopped<T>(work: Promise<T>, graceMs: number): Promise<T> {
    let rejectLater = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      rejectLater = () => void setTimeout(() => reject(this.signal.reason), graceMs).unref();
    });
    if (this.signal.aborted) rejectLater();
    else this.signal.addEventListener('abort', rejectLater, { once: true });
    try {
      return await Promise.race([work, stopped]);
    } finally {
      // The HTTP client's timers hold the signal after the run: a listener would hold the result.
      this.signal.removeEventListener('abort', rejectLater);
    }
  }

  get #wait(): string | undefined {
    return [...this.waits][0]?.reason;
  }

  #unlessLost(isClaimed: boolean): void {
    if (isClaimed) return;
    this.stop('claim-lost');
    throw this.signal.reason;
  }

  async #tick(): Promise<void> {
    const waited = Date.now() - this.#savedAt;
    const next = this.#unsaved;
    const isNews = next && (next.stage !== this.#saved?.stage || next.percent >= this.#saved.percent + minPercent);
    if (isNews || waited >= (next ? progressEveryMs : heartbeatEveryMs)) await this.refresh();
  }
}

/** A run that could not send its calls may succeed later; one that took too long would again, as a rule. */
export function timeoutError(
  { timeoutMs, retriesTimeouts }: Pick<JobContract, 'timeoutMs' | 'retriesTimeouts'>,
  { stage, stoppedWait }: Pick<Run, 'stage' | 'stoppedWait'>,
): ServiceError {
  const during = stage === undefined ? '' : `, in the stage “${stage}”`;
  const wait = stoppedWait === undefined ? '' : `, while a call waited for ${stoppedWait}`;
  const message = `The job was stopped after ${Math.round(timeoutMs / 1_000)} seconds${during}${wait}.`;
  return new ServiceError('job-timed-out', message, { transient: retriesTimeouts ?? stoppedWait !== undefined });
}
