/**
 * What a job is. The words used throughout:
 *
 * - **kind**: a sort of work (`pdf`, `location-sync`). Its folder in `workers/`, its queue and the first part of
 *   its job ids carry the same name.
 * - **contract**: what a kind promises (`workers/<kind>/contract.ts`); the API and the worker both read it.
 * - **handler**: the code that does the work (`workers/<kind>/handler.ts`); only workers load it.
 * - **job**: one piece of work of a client; its row in PostgreSQL is the truth about it.
 * - **message**: what lies in the queue to make some worker look at a job; it may come twice, or late.
 * - **run**: one go of one worker at a job; a job has as many as it takes.
 * - **held**: a run stopped before it changed anything, because what it was about to do looks like a fault; a person
 *   releases or cancels the job.
 * - **schedule**: times at which a job of the kind is made by the service itself.
 */
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';

export interface JobContract<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** Also the queue's and the folder's name. */
  kind: string;
  /** One sentence: what the job promises. */
  summary: string;
  /** Under which heading operations see its queue, such as `brochures`; absent: among the others. */
  subject?: string;
  /** Small and JSON: large input is stored once and referred to. Parsed by the API and by the worker. */
  payload: P;
  /** What `GET /jobs/{id}` shows as `result`. */
  result: R;
  /** How often a job is begun at most, when errors that may pass end its runs. */
  attempts: number;
  /** First delay before another attempt; doubled each time, with jitter. */
  backoffMs: number;
  /** A run is stopped after this long, and the job fails. */
  timeoutMs: number;
  /** Jobs of this kind a worker process works on at once. */
  concurrency: number;
  /** Jobs of this kind that one client may have running at once, in all processes together; absent: any number. */
  perClientConcurrency?: number;
  /**
   * Names what two jobs must not work on at the same time: of the jobs of a kind with the same key at most one is
   * queued, scheduled or running, whoever sent it. A second one with the same payload is answered with the first, one
   * with another payload is refused until that has ended: so keep out of the payload what differs without meaning to,
   * such as the time. A run that succeeds supersedes the held jobs of its key, unless its result says `dryRun: true`.
   * Undefined: this payload stands in nobody's way.
   */
  exclusive?(payload: z.output<P>): string | undefined;
  /**
   * A result may answer further jobs with the same payload, as long as its run said it may: the API then makes the job
   * succeeded, and no worker sees it.
   */
  reusable?: true;
  /** When jobs of this kind are made without anybody asking. */
  schedules?: readonly ScheduleContract<z.input<P>>[];
}

/** Which of the fires that fell due while no scheduler ran are made up for: the newest, all of them, none. */
export const missedPolicies = ['latest', 'all', 'skip'] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

export interface ScheduleContract<Payload = unknown> {
  /** Unique in the service, such as `deals-acquisition`. */
  name: string;
  /** One sentence: what happens then. */
  summary: string;
  /** Five fields, or six with seconds before them. */
  cron: string;
  /** An IANA name; `Asia/Dubai` when absent. */
  timeZone?: string;
  missed: MissedPolicy;
  payload: Payload;
}

/** Keeps the payload's and the result's types, so that a wrong payload or result does not compile. */
export function defineJob<P extends z.ZodType, R extends z.ZodType>(
  contract: JobContract<P, R>,
): JobContract<P, R> {
  return contract;
}

/** `<kind>_<uuidv7>`: sorts by time, and the id alone finds the job. */
export const newJobId = (kind: string): string => `${kind}_${uuidv7()}`;

/** The kind a job id speaks of; undefined when it is no job id. */
export function kindOfJobId(id: string): string | undefined {
  return /^([a-z][a-z-]*)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(id)?.[1];
}
