/** What happens to a job, in the words of its timeline and of its event stream. */
import { z } from 'zod';
import { Problem } from '../runtime/problem.ts';
import { type JobRecord, JobState, Progress } from './record.ts';

/** Changes of the job's row; a trigger writes them. */
export const changeTypes = [
  'accepted',
  'begun',
  'progress',
  'retry-scheduled',
  'handed-back',
  'held',
  'released',
  'succeeded',
  'failed',
  'cancelled',
  'requeued',
  'changed',
] as const;

export const JobEventType = z.enum([
  ...changeTypes,
  'cancel-requested',
  'callback-tried',
  'result-downloaded',
  'put-back',
]);
export type JobEventType = z.infer<typeof JobEventType>;

export interface JobEvent {
  /** Rises with each change of one job. */
  id: number;
  at: Date;
  type: JobEventType;
  data: unknown;
}

/** The job as a change left it; what is absent was null. */
export const JobSnapshot = z.object({
  state: JobState,
  progress: Progress.nullable().default(null),
  attemptsMade: z.int(),
  startedAt: z.coerce.date().nullable().default(null),
  finishedAt: z.coerce.date().nullable().default(null),
  error: Problem.nullable().default(null),
  warnings: z.int().describe('How many.'),
});
export type JobSnapshot = z.infer<typeof JobSnapshot>;

/** A try at telling a receiver of a job's end, as the timeline keeps it. */
export const CallbackTry = z.object({
  try: z.int().min(1),
  status: z.int().nullable().describe('What the receiver answered; null when it did not.'),
  error: z.string().nullable().describe('Why it was no success.'),
  nextTryAt: z.iso.datetime().nullable().describe('Null: there is no further try.'),
});
export type CallbackTry = z.infer<typeof CallbackTry>;

/** The job as it stood after a change: of what came later it shows nothing. */
export function jobAfter(job: JobRecord, change: JobEvent): JobRecord {
  const { warnings, ...snapshot } = JobSnapshot.parse(change.data);
  // A result that came with a later change is not shown, nor a held job's once it has gone on.
  const result =
    snapshot.state === job.state ? {} : { result: null, resultFile: null, resultExpiresAt: null };
  const released = job.released && new Date(job.released.at) <= change.at ? job.released : null;
  return { ...job, ...snapshot, ...result, released, warnings: job.warnings.slice(0, warnings) };
}

/** What the rest of the service asks of the job events; `core/jobs/repository/events.ts` answers it. */
export interface JobEvents {
  /** Changes of the row after this id, oldest first. */
  changesAfter(jobId: string, id: number, limit: number): Promise<JobEvent[]>;
  /** When the row changed last, its signs of life apart. */
  lastChangeAt(jobId: string): Promise<Date | undefined>;
  /** Everything after this id, oldest first; of progress only where a stage begins. */
  timeline(jobId: string, after: number, limit: number): Promise<JobEvent[]>;
  /** Adds what happened to a job besides the changes of its row. */
  add(jobId: string, type: JobEventType, data: object): Promise<void>;
}
