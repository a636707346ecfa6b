/** The shape of a job handler: it knows its payload and its context, never the queue. */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Db } from '../postgres/session.ts';
import type { Finding } from '../runtime/finding.ts';
import type { JobContract } from './contract.ts';
import type { ResultFile, Warning } from './record.ts';

export interface JobContext {
  jobId: string;
  clientId: string;
  /** 1 for the first go. */
  attempt: number;
  logger: Logger;
  /** Aborted when the job is cancelled, takes too long, or the worker shuts down; pass it to everything that waits. */
  signal: AbortSignal;
  /** Tells how far the work is; calls may be as frequent as they like. `percent` is of the whole job. */
  progress(stage: string, done: number, total: number, percent: number): void;
  /** Something the client should know although the job succeeds. */
  warn(warning: Warning): void;
  /** Present when a person released the job after it was held: go on with exactly this plan. */
  released?: { plan: unknown; by: string; at: Date };
  /** Where an earlier run of this job, killed or failed, got to. */
  checkpoint: Checkpoint;
  /**
   * The last step of a transaction: nothing of it is written when another run has taken the job over, as after this
   * process stood still for a while. One that takes it over later sees all of it. @throws RunStopped
   */
  confirmClaim(db: Db): Promise<void>;
}

/**
 * A small JSON value that outlives the worker, further attempts and the release of a held job. It is gone once the job
 * has succeeded or was cancelled; a failed job that is run again under its id still has it.
 */
export interface Checkpoint {
  /** Undefined when nothing was written yet. */
  read(): Promise<unknown>;
  /**
   * Once this returns the value is kept.
   * @param db the transaction whose last step it is, which then confirms the claim as well
   * @throws RunStopped when another run has taken the job over
   */
  write(value: unknown, db?: Db): Promise<void>;
}

export interface JobSuccess<R> {
  result: R;
  /** Present when the job's result is a file rather than its report. */
  file?: ResultFile;
  /** Until then a job with the same payload comes to the same result; absent: it may come to another one at once. */
  reusableUntil?: Date | undefined;
}

/** The run stops before it changes anything, until a person has looked at what it would do. */
export interface JobHeld<R> {
  held: {
    /** Shown as the job's `result` meanwhile. */
    report: R;
    /** JSON, kept whole; a released job is given it back. */
    plan: unknown;
  };
}

/** A handler with its resources open. */
export interface OpenHandler<P = unknown, R = unknown> {
  /**
   * Names all besides the payload that results depend on, such as templates and browser: results of another edition than
   * that of the worker that started last are not used again.
   */
  edition?: string;
  handle(payload: P, context: JobContext): Promise<JobSuccess<R> | JobHeld<R>>;
  /** Looks at what only a worker has, such as its browser; by what is looked at. Told to readiness now and then. */
  check?(signal: AbortSignal): Promise<Readonly<Record<string, Finding>>>;
  close(): Promise<void>;
}

/** Of a handler whose results depend on the payload alone there is one. */
export const editionOf = ({ edition = '' }: Pick<OpenHandler, 'edition'>): string => edition;

/** What a handler module exports by default. */
export interface JobHandler<
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  C extends z.ZodObject = z.ZodObject,
  S = unknown,
> {
  job: JobContract<P, R>;
  /** The environment variables it reads, checked before anything opens. */
  config: C;
  open(config: z.output<C>, services: S): Promise<OpenHandler<z.output<P>, z.input<R>>>;
}

export function defineHandler<P extends z.ZodType, R extends z.ZodType, C extends z.ZodObject, S>(
  handler: JobHandler<P, R, C, S>,
): JobHandler<P, R, C, S> {
  return handler;
}
