/**
 * Terms:
 *
 * - **kind**: a type of job (`pdf`, `location-sync`). Its folder in `workers/`, its queue and the prefix of its job ids
 *   have the same name.
 * - **contract**: payload, result and limits of a kind (`workers/<kind>/contract.ts`); API and workers load it.
 * - **handler**: the code that does the work (`workers/<kind>/handler.ts`); only workers load it.
 * - **job**: one request of a client; its row in PostgreSQL is authoritative.
 * - **message**: the entry in the queue that makes a worker run the job; it may arrive twice or late.
 * - **run**: one attempt of one worker.
 * - **held**: a run stopped before its first change because its plan looks wrong; a person releases or cancels the job.
 * - **mail job**: a job of the kind `<kind>-mail` that sends the result of another one by e-mail; both ids have the same UUID.
 * - **schedule**: times at which the service creates a job of the kind.
 */
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';

export interface JobContract<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** Also the name of the queue and the folder. */
  kind: string;
  /** One sentence: what the job does. */
  summary: string;
  /** Heading of its queue on the operations page, such as `brochures`; absent: with the remaining queues. */
  subject?: string;
  /** JSON, small: large input is stored separately and referred to. API and worker validate it. */
  payload: P;
  /** The member `result` of `GET /jobs/{id}`. */
  result: R;
  /** Maximum number of runs when transient errors end them. */
  attempts: number;
  /** Delay before the second attempt; doubled for each further one, with jitter. */
  backoffMs: number;
  /** A run that takes longer is stopped and the job fails. */
  timeoutMs: number;
  /** Such a job is retried instead: its runs are short, unless the machine is busy or the browser has to start. */
  retriesTimeouts?: true;
  /**
   * How long after its first run a job survives failures of outside systems without using attempts; default 6 hours. The
   * delay between runs is half of the time since the first one: at least `backoffMs`, at most 2 minutes.
   */
  maxOutageMs?: number;
  /** Concurrent jobs of this kind per worker process. */
  concurrency: number;
  /**
   * The exclusive key: at most one job of the kind with the same key is queued, scheduled or running, for all clients
   * together. A second request with the same payload returns the open job; one with another payload is rejected until
   * that job has ended, so leave irrelevant values such as the time out of the payload. A run that succeeds supersedes
   * the held jobs with its key, unless its result has `dryRun: true`.
   * Undefined: may run concurrently with others.
   */
  exclusive?(payload: z.output<P>): string | undefined;
  /** Its runs change outside systems: operators are notified of each job that failed for good, not only of scheduled ones. */
  hasEffects?: true;
  /** Each result has a file; a job whose file was deleted can be retried. */
  hasFile?: true;
  /** How long its result is stored, at most as long as RESULT_RETENTION_HOURS says; absent: as long. */
  resultHours?: number;
  schedules?: readonly ScheduleContract<z.input<P>>[];
}

/** Which runs that fell due while no scheduler was running are made up for: the latest, all, none. */
export const missedPolicies = ['latest', 'all', 'skip'] as const;
export type MissedPolicy = (typeof missedPolicies)[number];

export interface ScheduleContract<Payload = unknown> {
  /** Unique in the service, such as `deals-acquisition`. */
  name: string;
  /** One sentence: what a run does. */
  summary: string;
  /** Five fields, or six with seconds before them. */
  cron: string;
  /** IANA name; `Asia/Dubai` by default. */
  timeZone?: string;
  missed: MissedPolicy;
  /** The variables that configure the outside systems it needs: without one, it is off in production. */
  systems?: readonly string[];
  payload: Payload;
}

/** Infers the types of payload and result. */
export function defineJob<P extends z.ZodType, R extends z.ZodType>(contract: JobContract<P, R>): JobContract<P, R> {
  return contract;
}

/** `<kind>_<uuidv7>`: sorts by time. */
export const newJobId = (kind: string): string => `${kind}_${uuidv7()}`;

/** A job has at most one mail job, however often it runs. */
export const mailJobId = (jobId: string): string => jobId.replace('_', '-mail_');

/** The kind in a job id; undefined for any other text. */
export function kindOfJobId(id: string): string | undefined {
  return /^([a-z][a-z-]*)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(id)?.[1];
}
