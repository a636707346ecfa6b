/** One run of a job: its claim on the row, its signs of life, its progress, and the reasons it may be told to stop. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Checkpoint } from '../../core/jobs/handler.ts';
import type { JobRecords, JobRun, Progress, Warning } from '../../core/jobs/record.ts';
import type { Db } from '../../core/postgres/session.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

export type StopReason = 'cancelled' | 'timed-out' | 'shutdown' | 'claim-lost';

/** Why a run's signal was aborted. */
class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`the run was stopped: ${reason}`);
    this.reason = reason;
  }
}

/** Progress is written at most this often, in ms; a change of cancel or claim is noticed as fast by its notification. */
const progressEveryMs = 300;
/** The row is touched at least this often, in ms: the sweeper leaves a living run alone, and a cancel is noticed. */
const lifeSignEveryMs = 2_000;
const maxWarnings = 500;

export interface RunTimes {
  timeoutMs: number;
  /** How long after its last sign of life the run is surely not taken over. */
  patienceMs: number;
}

type ClaimedRecords = Pick<JobRecords, 'saveProgress' | 'checkpoint' | 'saveCheckpoint' | 'confirmClaim'>;

export class Run {
  readonly claim: JobRun;
  readonly warnings: Warning[] = [];
  /** The outside systems that the sandbox stood in for. */
  sandboxes: ReadonlySet<string> = new Set();
  readonly checkpoint: Checkpoint = {
    read: () => this.#records.checkpoint(this.claim.jobId),
    write: async (value, db) => this.#unlessLost(await this.#records.saveCheckpoint(this.claim, value, db)),
  };
  readonly #patienceMs: number;
  readonly #records: ClaimedRecords;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  readonly #ticker: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout;
  #unsaved: Progress | undefined;
  #percent = 0;
  #savedAt = Date.now();
  /** When the claim was last known to be ours, by `performance.now()`. */
  #claimedAt = performance.now();
  #saving = false;

  constructor(jobId: string, { timeoutMs, patienceMs }: RunTimes, records: ClaimedRecords, logger: Logger) {
    this.claim = { jobId, runId: randomUUID() };
    this.#patienceMs = patienceMs;
    this.#records = records;
    this.#logger = logger;
    // Each of the many calls that a run has under way listens.
    setMaxListeners(0, this.signal);
    this.#ticker = setInterval(() => void this.#tick(), progressEveryMs);
    this.#deadline = setTimeout(() => this.stop('timed-out'), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get stopReason(): StopReason | undefined {
    const reason: unknown = this.signal.reason;
    return reason instanceof RunStopped ? reason.reason : undefined;
  }

  stop(reason: StopReason): void {
    if (!this.signal.aborted) this.#stopping.abort(new RunStopped(reason));
  }

  progress(stage: string, done: number, total: number, percent: number): void {
    this.#percent = Math.max(this.#percent, Math.min(100, Math.round(percent)));
    this.#unsaved = { stage, done, total, percent: this.#percent };
  }

  warn(warning: Warning): void {
    if (this.warnings.length < maxWarnings) this.warnings.push(warning);
  }

  /** Looks at the row now: called when its change was announced. */
  async look(): Promise<void> {
    if (this.#saving) return;
    this.#saving = true;
    const progress = this.#unsaved;
    this.#unsaved = undefined;
    const askedAt = performance.now();
    try {
      const { claimed, cancelRequested } = await this.#records.saveProgress(this.claim, progress);
      if (!claimed) this.stop('claim-lost');
      else if (cancelRequested) this.stop('cancelled');
      if (claimed) this.#claimedAt = askedAt;
      this.#savedAt = Date.now();
    } catch (error) {
      // The database is away for a moment: the work goes on, the next tick tries again.
      this.#unsaved ??= progress;
      this.#logger.warn({ err: error }, 'the progress could not be written');
    } finally {
      this.#saving = false;
    }
  }

  /** For a transaction's last step. @throws RunStopped when another run has taken the job over */
  async confirmClaim(db: Db): Promise<void> {
    this.#unlessLost(await this.#records.confirmClaim(this.claim, db));
  }

  /**
   * Waits until the job is surely ours: a process that was stopped in its tracks may wake up after another has taken its
   * place, and must not send then what it was about to send. @throws RunStopped
   */
  async fence(): Promise<void> {
    while (performance.now() - this.#claimedAt > this.#patienceMs) {
      const before = this.#claimedAt;
      await this.look();
      this.signal.throwIfAborted();
      // The database is away, or is being asked already.
      if (this.#claimedAt === before) await sleep(progressEveryMs);
    }
  }

  /** Ends the timers; a closed run writes no progress any more. */
  close(): void {
    clearInterval(this.#ticker);
    clearTimeout(this.#deadline);
  }

  /** Rejects soon after the run was told to stop, for work that does not listen to the signal. */
  whenStopped(graceMs: number): Promise<never> {
    return new Promise((_, reject) => {
      const give = () => setTimeout(() => reject(this.signal.reason), graceMs).unref();
      if (this.signal.aborted) give();
      else this.signal.addEventListener('abort', give, { once: true });
    });
  }

  #unlessLost(isClaimed: boolean): void {
    if (isClaimed) return;
    this.stop('claim-lost');
    throw this.signal.reason;
  }

  async #tick(): Promise<void> {
    if (this.#unsaved || Date.now() - this.#savedAt >= lifeSignEveryMs) await this.look();
  }
}

/** What a stopped run's job says of itself. */
export function stopError(reason: 'timed-out' | 'cancelled', timeoutMs: number): ServiceError {
  return reason === 'cancelled'
    ? new ServiceError('job-cancelled', 'The job was cancelled.')
    : new ServiceError(
        'job-timed-out',
        `The job was stopped after ${Math.round(timeoutMs / 1_000)} seconds.`,
      );
}
