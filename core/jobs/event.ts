/** Job events, as in the timeline and the event stream. */
import { z } from 'zod';
import { Problem } from '../runtime/errors.ts';
import { type JobRecord, JobState, Progress } from './record.ts';

/** Changes of the job's row, written by a trigger. */
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
  'callback-requested',
  'result-downloaded',
  'put-back',
]);
export type JobEventType = z.infer<typeof JobEventType>;

export interface JobEvent {
  /** Increases with each event of one job. */
  id: number;
  at: Date;
  type: JobEventType;
  data: unknown;
}

/** The job after a change; null members are absent. */
export const JobSnapshot = z.object({
  state: JobState,
  progress: Progress.nullable().default(null),
  attemptsMade: z.int(),
  startedAt: z.coerce.date().nullable().default(null),
  finishedAt: z.coerce.date().nullable().default(null),
  error: Problem.nullable().default(null),
  warnings: z.int().describe('Number of warnings.'),
});
export type JobSnapshot = z.infer<typeof JobSnapshot>;

/** One try to deliver a callback, as recorded in the timeline. */
export const CallbackTry = z.object({
  try: z.int().min(1),
  status: z.int().nullable().describe('Status of the response; null without a response.'),
  error: z.string().nullable().describe('Why the try failed; null: delivered.'),
  nextTryAt: z.iso.datetime().nullable().describe('Null: no further try.'),
});
export type CallbackTry = z.infer<typeof CallbackTry>;

/** The job right after a change, without later changes. */
export function jobAfter(job: JobRecord, change: JobEvent): JobRecord {
  const { warnings, ...snapshot } = JobSnapshot.parse(change.data);
  // The result belongs to the present state only.
  const result = snapshot.state === job.state ? {} : { result: null, resultFile: null, resultExpiresAt: null };
  const released = job.released && new Date(job.released.at) <= change.at ? job.released : null;
  return { ...job, ...snapshot, ...result, released, warnings: job.warnings.slice(0, warnings) };
}
