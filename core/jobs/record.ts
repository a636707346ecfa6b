/** The job as PostgreSQL keeps it and as `GET /jobs/{id}` tells it; the shared words of API, workers and database. */
import { z } from 'zod';
import type { Db } from '../postgres/session.ts';
import type { Actor } from '../runtime/actor.ts';
import type { Problem } from '../runtime/problem.ts';

export const JobState = z.enum([
  'queued',
  'scheduled',
  'running',
  'held',
  'succeeded',
  'failed',
  'cancelled',
]);
export type JobState = z.infer<typeof JobState>;

/** States that a job does not leave by itself. */
export const finalStates: readonly JobState[] = ['succeeded', 'failed', 'cancelled'];
export const isFinal = (state: JobState): boolean => finalStates.includes(state);
/** Nothing more happens to the job until somebody asks for it: who waits for it need wait no longer. */
export const isAtRest = (state: JobState): boolean => state === 'held' || isFinal(state);

export const Progress = z.object({
  stage: z.string().describe('What is being done, in one or two words.'),
  done: z.int().min(0),
  total: z.int().min(0),
  percent: z.int().min(0).max(100).describe('Of the whole job, never falling.'),
});
export type Progress = z.infer<typeof Progress>;

export const Warning = z.object({
  pointer: z.string().describe('JSON Pointer (RFC 6901) into the request body.'),
  detail: z.string(),
  code: z.string().optional().describe('What it is about, for programs: such as `permit-missing`.'),
  severity: z.enum(['error', 'warning', 'hint']).optional().describe('Absent: a warning.'),
});
export type Warning = z.infer<typeof Warning>;

/** A file a job made, in the result store. */
export const ResultFile = z.object({
  key: z.string(),
  contentType: z.string(),
  fileName: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  /** Where the store keeps what is known about it, deleted with it. */
  recordKey: z.string().optional(),
});
export type ResultFile = z.infer<typeof ResultFile>;

export const CallbackState = z.enum(['pending', 'delivered', 'failed']);
export type CallbackState = z.infer<typeof CallbackState>;

/** Where the job's end is told, and how far that has come. */
export const JobCallback = z.object({
  url: z.string(),
  state: CallbackState.describe(
    '`pending` until the receiver has accepted it; `failed` when it is given up.',
  ),
  tries: z.int().min(0),
  lastStatus: z.int().nullable().describe('What the receiver answered last; null when it did not.'),
  nextTryAt: z.iso
    .datetime()
    .nullable()
    .describe('Null before the job has ended, and when nothing is left to do.'),
});
export type JobCallback = z.infer<typeof JobCallback>;

/** Who let a held job go on, and when. */
export const Release = z.object({
  by: z.string().describe('The client’s id, or the login of operations.'),
  at: z.iso.datetime(),
});
export type Release = z.infer<typeof Release>;

export interface JobRecord {
  id: string;
  kind: string;
  clientId: string;
  state: JobState;
  payload: unknown;
  /** Of the jobs of a kind with the same key at most one is open; null: it stands in nobody's way. */
  exclusiveKey: string | null;
  progress: Progress | null;
  attemptsMade: number;
  attemptsMax: number;
  /** The request that made it; null: none did, or it is not known. */
  requestId: string | null;
  createdAt: Date;
  /** Since when it waits, or waited last. */
  queuedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  result: unknown;
  resultFile: ResultFile | null;
  error: Problem | null;
  warnings: Warning[];
  /** The outside systems that the sandbox stood in for. */
  sandboxes: string[];
  cancelRequestedAt: Date | null;
  /** Dropped when it was not begun by then. */
  startBy: Date | null;
  /** Its place in the fair order of its kind: lower goes first. */
  turn: number;
  /** The result is answered until then; null while there is none. */
  resultExpiresAt: Date | null;
  /** The job whose result this one was answered with, so that no worker saw it; null: it was queued. */
  reusedFrom: string | null;
  callback: JobCallback | null;
  /** Null unless it was held and a person let it go on. */
  released: Release | null;
}

/** What a client may ask for with any job. */
export interface JobTerms {
  /** Where its end is told. */
  callbackUrl?: string | undefined;
  startBy?: Date | undefined;
}

export interface NewJob extends JobTerms {
  id: string;
  kind: string;
  clientId: string;
  payload: unknown;
  exclusiveKey?: string | undefined;
  attemptsMax: number;
}

/** How often such a job is begun at most, and what it stands in the way of, is as with the one it has its result from. */
export type ReusingJob = Omit<NewJob, 'callbackUrl' | 'exclusiveKey' | 'attemptsMax'>;

export interface JobFilter {
  /** null: everyone's jobs (scope `jobs:all`). */
  clientId: string | null;
  kind?: string | undefined;
  state?: JobState | undefined;
  since?: Date | undefined;
  limit: number;
  /** Continue after this job, newest first. */
  after?: { createdAt: Date; id: string } | undefined;
}

/** A worker's claim on a job: writes of a run that lost its claim change nothing. */
export interface JobRun {
  jobId: string;
  runId: string;
}

/** What the rest of the service asks of the job rows; `core/jobs/repository/repository.ts` answers it. */
export interface JobRecords {
  /**
   * One with this id that is there already is answered as it is; so is another one that is open under the same
   * exclusive key, which the caller tells by its id.
   */
  create(job: NewJob): Promise<JobRecord>;
  /**
   * Adds the job as one that has succeeded, with the result of an earlier one of its kind and payload that may be used
   * again. Undefined when there is none, or a job with this id is there already.
   */
  reuse(job: ReusingJob): Promise<JobRecord | undefined>;
  /** From now on results of this edition of a kind are used again, and no others. */
  takeEdition(kind: string, edition: string): Promise<void>;
  /** Jobs of the client and kind that are not over; counts no further than to the limit. */
  countOpen(kind: string, clientId: string, limit: number): Promise<number>;
  find(id: string): Promise<JobRecord | undefined>;
  list(filter: JobFilter): Promise<JobRecord[]>;
  /**
   * Begins a run, taking the job from a run that was lost; undefined when there is nothing left to do. A job whose
   * cancelling was asked for, or whose time to start has passed, is cancelled instead.
   * @param perClient how many jobs of its kind its client may have running; `client-busy` when it has them already
   */
  begin(run: JobRun, attempt: number, perClient?: number): Promise<JobRecord | 'client-busy' | undefined>;
  /** The client's queued jobs of a kind, the next one first. */
  nextOf(kind: string, clientId: string, limit: number): Promise<string[]>;
  /**
   * Also the run's sign of life. `claimed` is false when the run lost its claim; `cancelRequested` tells it to stop.
   * @param progress undefined when there is nothing new to tell
   */
  saveProgress(
    run: JobRun,
    progress: Progress | undefined,
  ): Promise<{ claimed: boolean; cancelRequested: boolean }>;
  /** One that supersedes cancels the held jobs of its exclusive key: their plans are out of date. */
  succeed(run: JobRun, outcome: JobOutcome): Promise<boolean>;
  /** The job waits for a person's decision, with the plan and what it would come to. */
  hold(run: JobRun, held: HeldRun): Promise<boolean>;
  /** @param scheduledAgain the queue will try once more */
  fail(
    run: JobRun,
    failure: { error: Problem; warnings: Warning[]; sandboxes: string[]; scheduledAgain: boolean },
  ): Promise<boolean>;
  cancelled(run: JobRun): Promise<boolean>;
  /** The worker shuts down: the job waits again, its attempt not used up. */
  handBack(run: JobRun): Promise<boolean>;
  /**
   * Cancels a waiting job at once; asks a running one to stop. Undefined when there is no such job.
   * @param by told to the audit trail; absent: its own client, which the trail does not keep
   */
  requestCancel(id: string, by?: Actor): Promise<JobRecord | undefined>;
  /**
   * Puts a failed or cancelled job back to queued; undefined when it is in another state.
   * @param by as with `requestCancel`
   * @throws ServiceError conflict while another job of its exclusive key is open
   */
  requeue(id: string, by?: Actor): Promise<JobRecord | undefined>;
  /**
   * Puts a held job back to queued, to go on with its plan; undefined when it is not held.
   * @throws ServiceError conflict while another job of its exclusive key is open
   */
  release(id: string, by: Actor): Promise<JobRecord | undefined>;
  /** The plan of a job that is or was held; undefined when there is none. */
  plan(id: string): Promise<HeldPlan | undefined>;
  /** Undefined when nothing was written. */
  checkpoint(id: string): Promise<unknown>;
  /** @returns false when the run has lost its claim */
  saveCheckpoint(run: JobRun, value: unknown, db?: Db): Promise<boolean>;
  /** Whether the run still has its job; no other run takes it over before the transaction ends. */
  confirmClaim(run: JobRun, db: Db): Promise<boolean>;
  /** Jobs that are not final and were not touched for a while: the sweeper looks where they are. */
  quiet(olderThanMs: number, limit: number): Promise<JobRecord[]>;
  /** Ends a job that the queue gave up on without a run. */
  giveUp(id: string, error: Problem): Promise<void>;
  /** Counts the turns of a kind from 1 again where they have grown too high; answers how many jobs have new ones. */
  countTurnsAnew(): Promise<number>;
  /** Cancels jobs whose time to start has passed; answers how many. */
  dropLate(): Promise<number>;
  markQuietChecked(ids: readonly string[]): Promise<void>;
}

export interface HeldRun {
  /** What the run would come to. */
  result: unknown;
  plan: unknown;
  warnings: Warning[];
  /** The outside systems that the sandbox stood in for. */
  sandboxes: string[];
}

export interface HeldPlan {
  plan: unknown;
  heldAt: Date;
  released: Release | null;
}

export interface JobOutcome {
  progress: Progress;
  result: unknown;
  file: ResultFile | null;
  warnings: Warning[];
  /** The outside systems that the sandbox stood in for. */
  sandboxes: string[];
  /** It did what held jobs of its exclusive key were about to do. */
  supersedes: boolean;
  /** How jobs with the same payload may be answered with the result; undefined: not at all. */
  reusable?: { until: Date; edition: string } | undefined;
}
