/** Types of job handlers. A handler receives its payload and its context, never the queue. */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Db } from '../postgres/client.ts';
import type { CheckFinding } from '../runtime/finding.ts';
import type { JobContract } from './contract.ts';
import type { PlannedChanges, ResultFile, Warning } from './record.ts';

export interface JobContext {
  jobId: string;
  clientId: string;
  /** 1 for the first run. */
  attempt: number;
  logger: Logger;
  /** Aborts on cancellation, timeout and shutdown; pass it to every wait. */
  signal: AbortSignal;
  /**
   * Reports progress; frequent calls are cheap.
   * @param percent of the whole job
   */
  progress(stage: string, done: number, total: number, percent: number): void;
  /** Adds a warning to the job's result. */
  warn(warning: Warning): void;
  /** Present when a person released the held job: carry out exactly this plan. */
  released?: { plan: unknown; by: string; at: Date };
  /** Written by an earlier run of this job that was killed or failed. */
  checkpoint: Checkpoint;
  /**
   * The last step of a transaction: it rolls back when another run has taken the job over, for example after this process
   * was suspended. A later run sees the whole transaction. @throws RunStopped
   */
  confirmClaim(db: Db): Promise<void>;
}

/**
 * A small JSON value that survives the worker, further attempts and the release of a held job, also the retry of a failed
 * job. It is deleted when the job succeeds or is cancelled.
 */
export interface Checkpoint {
  /** Undefined before the first write. */
  read(): Promise<unknown>;
  /**
   * The value is stored when this returns.
   * @param db the transaction whose last step this is; also confirms the claim
   * @throws RunStopped when another run has taken the job over
   */
  write(value: unknown, db?: Db): Promise<void>;
}

export interface JobSuccess<R> {
  result: R;
  /** Present when the result is a file; `result` is then its report. */
  file?: ResultFile;
  /** Payload of the mail job that starts when this job has succeeded; absent: the result is not mailed. */
  mail?: object | undefined;
}

/** The run stops before its first change, until a person has reviewed its plan. */
export interface JobHeld<R> {
  held: {
    /** The job's `result` while it is held. */
    report: R;
    /** JSON, stored whole; passed to the run after the release. */
    plan: unknown;
    /** The plan's changes by name. A function lists them after the plan is stored: both together need much memory. */
    changes?: readonly PlannedChanges[] | (() => readonly PlannedChanges[]);
  };
}

/** A handler with its resources open. */
export interface OpenHandler<P = unknown, R = unknown> {
  handle(payload: P, context: JobContext): Promise<JobSuccess<R> | JobHeld<R>>;
  /** Health probe of parts that only a worker has, such as the browser, by name; run periodically for readiness. */
  check?(signal: AbortSignal): Promise<Readonly<Record<string, CheckFinding>>>;
  /** Called when a disk is full: deletes what the handler can obtain again, such as the files of a cache. */
  freeSpace?(): Promise<unknown>;
  close?(): Promise<void>;
}

/** The default export of a handler module. */
export interface JobHandler<
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  C extends z.ZodObject = z.ZodObject,
  S = unknown,
> {
  job: JobContract<P, R>;
  /** The environment variables it reads; validated before any handler opens. */
  config: C;
  open(config: z.output<C>, services: S): Promise<OpenHandler<z.output<P>, z.input<R>>>;
}

export function defineHandler<P extends z.ZodType, R extends z.ZodType, C extends z.ZodObject, S>(
  handler: JobHandler<P, R, C, S>,
): JobHandler<P, R, C, S> {
  return handler;
}
