/** The job's record: types shared by API, workers and database. */
import { z } from 'zod';
import type { Db } from '../postgres/client.ts';
import { Problem, problemType } from '../runtime/errors.ts';
import type { PlaceOfChanges } from './planned-effect.ts';

export const JobState = z.enum(['queued', 'scheduled', 'running', 'held', 'succeeded', 'failed', 'cancelled']);
export type JobState = z.infer<typeof JobState>;

/** Left only at a request, such as a retry. */
export const finalStates: readonly JobState[] = ['succeeded', 'failed', 'cancelled'];
export const isFinal = (state: JobState): boolean => finalStates.includes(state);
/** Held or final: the state changes only at a request, so waiting for the job ends. */
export const isAtRest = (state: JobState): boolean => state === 'held' || isFinal(state);

export const Progress = z.object({
  stage: z.string().describe('The current step, in one or two words.'),
  done: z.int().min(0).describe('Steps done in this stage.'),
  total: z.int().min(0).describe('Steps of this stage.'),
  percent: z.int().min(0).max(100).describe('Of the whole job; never decreases.'),
});
export type Progress = z.infer<typeof Progress>;

export const Warning = z.object({
  pointer: z.string().describe('JSON Pointer (RFC 6901) into the request body.'),
  detail: z.string().describe('What was found.'),
  code: z.string().optional().describe('Machine-readable type, such as `permit-missing`.'),
  severity: z.enum(['error', 'warning', 'hint']).optional().describe('Absent: `warning`.'),
});
export type Warning = z.infer<typeof Warning>;

/** The result of a job as a file in the result store. */
export const ResultFile = z.object({
  key: z.string(),
  contentType: z.string(),
  fileName: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  /** Key of the file's description, deleted with the file. */
  recordKey: z.string().optional(),
  /** Files inside a ZIP whose bytes it contains unchanged, by their offset. */
  parts: z
    .array(
      z.object({
        fileName: z.string(),
        contentType: z.string(),
        bytes: z.int(),
        sha256: z.string(),
        offset: z.int(),
      }),
    )
    .optional(),
});
export type ResultFile = z.infer<typeof ResultFile>;

export const CallbackState = z.enum(['pending', 'delivered', 'failed']);
export type CallbackState = z.infer<typeof CallbackState>;

/** The callback at the job's end, and its delivery. */
export const JobCallback = z.object({
  url: z.string().describe('Where it is sent.'),
  state: CallbackState.describe('`pending` until the receiver has accepted it; `failed` after the last try.'),
  tries: z.int().min(0).describe('Tries so far.'),
  lastStatus: z.int().nullable().describe('Status of the last response; null without a response.'),
  nextTryAt: z.iso.datetime().nullable().describe('Null before the job has ended and after the last try.'),
});
export type JobCallback = z.infer<typeof JobCallback>;

/** The job that sends the result of another one by e-mail. */
export const MailState = z.object({
  job: z.string().describe('Id of the job that sends it.'),
  state: JobState.describe('`succeeded`: the mail server has accepted it. `scheduled`: it is tried again.'),
  error: Problem.nullable(),
  warnings: z.array(Warning).describe('Such as recipients that the mail server refused.'),
});
export type MailState = z.infer<typeof MailState>;

/** Who released a held job, and when. */
export const Release = z.object({
  by: z.string().describe('Client id, or login of the operator.'),
  at: z.iso.datetime().describe('When.'),
});
export type Release = z.infer<typeof Release>;

export interface JobRecord {
  id: string;
  kind: string;
  clientId: string;
  state: JobState;
  payload: unknown;
  /** At most one job of a kind with the same key is open; null: no restriction. */
  exclusiveKey: string | null;
  progress: Progress | null;
  /** What the run's calls to outside systems waited for at its last heartbeat, such as `the rate limit of the CRM`. */
  waitsFor: string | null;
  attemptsMade: number;
  attemptsMax: number;
  /** The request that created it, if known. */
  requestId: string | null;
  createdAt: Date;
  /** Start of the current or last wait. */
  queuedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  result: unknown;
  resultFile: ResultFile | null;
  error: Problem | null;
  warnings: Warning[];
  /** The outside systems that the sandbox replaced. */
  sandboxes: string[];
  cancelRequestedAt: Date | null;
  /** Cancelled without a first run by then. */
  startBy: Date | null;
  /** Position among the open jobs of its client and kind when it was (again) queued, from 1; the queue runs lower ones first. */
  priority: number;
  /** End of the result's retention; null without a result. */
  resultExpiresAt: Date | null;
  callback: JobCallback | null;
  released: Release | null;
  /** When its result is mailed; only of jobs that were read by their id or in a list. */
  mail?: MailState | undefined;
}

/** What a scheduled job waits for without using attempts, by the type of its error. */
const waits: Readonly<Record<string, 'an outside system' | 'space on a disk'>> = {
  [problemType('waiting-for-system')]: 'an outside system',
  [problemType('storage-full')]: 'space on a disk',
};

export const waitTypes = Object.keys(waits);

/** Undefined: its last attempt failed. */
export const waitOf = ({ error }: Pick<JobRecord, 'error'>) => waits[error?.type ?? ''];

/** Options of every job request. */
export interface JobOptions {
  /** Receives a POST when the job ends. */
  callbackUrl?: string | undefined;
  startBy?: Date | undefined;
}

export interface NewJob extends JobOptions {
  id: string;
  kind: string;
  clientId: string;
  payload: unknown;
  exclusiveKey?: string | undefined;
  attemptsMax: number;
  /** Stored with the job: large values, to which the payload refers by their hash. */
  inputs?: readonly JobInput[] | undefined;
  /** Not inserted while its client has as many open jobs of the kind. Concurrent requests may exceed it by their number. */
  maxOpen?: number | undefined;
}

export interface JobInput {
  /** Hash of `body`, in hex. */
  sha256: string;
  /** JSON. */
  body: string;
  /** Reference numbers of listings or ids of leads, by which operators search jobs; no personal data. */
  searchTerms: readonly string[];
}

/** Why jobs of a kind failed. */
export interface FailureCause {
  /** Code of the problem, such as `upstream-failed`. */
  problem: string;
  /** The last outside system that was called; empty without one. */
  system: string;
  /** Method and path without ids; empty without one. */
  operation: string;
  /** Failed after this time. */
  after?: Date | undefined;
  /** Failed at this time or earlier. */
  until?: Date | undefined;
}

export interface JobFilter {
  /** null: jobs of all clients (scope `jobs:all`). */
  clientId: string | null;
  kind?: string | undefined;
  state?: JobState | undefined;
  since?: Date | undefined;
  /** Created before this time. */
  until?: Date | undefined;
  /** A search term of the job's input. */
  term?: string | undefined;
  /** Only jobs that failed for this cause. */
  cause?: FailureCause | undefined;
  limit: number;
  /** The last job of the previous page. */
  after?: { createdAt: Date; id: string } | undefined;
}

/** A run's claim on a job; writes of a run that has lost its claim change nothing. */
export interface JobRun {
  jobId: string;
  runId: string;
}

/** Planned changes, and rows left unchanged, with one outcome and one reason, for the person who decides about a held job. */
export const PlannedChanges = z
  .object({
    outcome: z
      .enum(['deleted', 'created', 'updated', 'failed', 'conflict', 'ambiguous', 'skipped'])
      .describe('Of each item after a release.'),
    reason: z.string().describe('A sentence that applies to each item.'),
    items: z
      .array(
        z.object({
          key: z.string().describe('Id of the employee, location or deal.'),
          name: z.string().describe('Of the employee or location; kind, amount, stage and user of a deal.'),
          detail: z.string().optional().describe('Such as the old and the new values.'),
        }),
      )
      .describe('All changes of this outcome and reason.'),
  })
  .meta({ id: 'PlannedChanges' });
export type PlannedChanges = z.infer<typeof PlannedChanges>;

/** One change of a plan, with those of its group. */
export type PlannedRow = Record<'outcome' | 'reason' | 'key' | 'name' | 'detail', string>;

/** A job that needs a person: held, or failed in its last attempt. */
export interface StoppedJob extends Pick<JobRecord, 'id' | 'kind' | 'clientId'> {
  state: 'held' | 'failed';
  /** Without personal data. */
  reasons: string[];
  /** What the release of a held job would change. */
  places?: PlaceOfChanges[] | undefined;
}

/** Writes in the transaction that stops the job. */
export type ReportStop = (db: Db, job: StoppedJob) => Promise<void>;

export interface HeldRun {
  /** The result that the plan would lead to. */
  result: unknown;
  plan: unknown;
  changes: () => readonly PlannedChanges[];
  warnings: Warning[];
  /** The outside systems that the sandbox replaced. */
  sandboxes: string[];
}

export interface HeldPlan {
  /** Only the first items of each; `total`: their number. Empty when an earlier version of the service held the job. */
  changes: (PlannedChanges & { total: number })[];
  heldAt: Date;
  released: Release | null;
}

export interface JobOutcome {
  progress: Progress;
  result: unknown;
  file: ResultFile | null;
  warnings: Warning[];
  /** The outside systems that the sandbox replaced. */
  sandboxes: string[];
  /** The retention of the contract. */
  resultHours?: number | undefined;
  /** Cancels held jobs with its exclusive key. */
  supersedes: boolean;
  /** Inserted in the same transaction. */
  mail?: NewJob | undefined;
}
