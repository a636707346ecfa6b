/** What happened to a job, in plain words. */
import { CallbackTry, type JobEvent, type JobEventType, JobSnapshot } from '../../core/jobs/event.ts';

/** Changes of the row, told from the job as it stood afterwards. */
const changeTexts: Partial<Record<JobEventType, (job: JobSnapshot) => string>> = {
  accepted: () => 'The job was accepted.',
  begun: job => `Attempt ${job.attemptsMade} began.`,
  progress: ({ progress }) => `Stage ${progress?.stage}: ${progress?.done} of ${progress?.total} done.`,
  'retry-scheduled': job => `Attempt ${job.attemptsMade} failed and another follows: ${job.error?.detail}`,
  'handed-back': () => 'The worker shut down and handed the job back; the attempt does not count.',
  held: () =>
    'The job is held: what it was about to do looks like a fault. It waits to be released or cancelled.',
  released: () => 'The job was released, to go on with its plan.',
  // Without an attempt it was answered with another's result.
  succeeded: job =>
    job.attemptsMade === 0
      ? `The job succeeded at once${withWarnings(job)}: it was answered with the result of an earlier job with the same input, and never queued.`
      : `The job succeeded in attempt ${job.attemptsMade}${withWarnings(job)}.`,
  failed: job => `The job failed: ${job.error?.detail}`,
  cancelled: job => (job.error ? `The job was cancelled: ${job.error.detail}` : 'The job was cancelled.'),
  requeued: () => 'The job was to be run again.',
  changed: job => `${job.attemptsMade} attempts made, ${job.warnings} warnings.`,
};

/** Everything else. */
const otherTexts: Partial<Record<JobEventType, (data: unknown) => string>> = {
  'cancel-requested': () => 'Cancelling was asked for.',
  'callback-tried': callbackText,
  'result-downloaded': () => 'The result was downloaded.',
  'put-back': () => 'The job was in no queue any more and was put back into its own.',
};

export function eventText({ type, data }: JobEvent): string {
  return changeTexts[type]?.(JobSnapshot.parse(data)) ?? otherTexts[type]?.(data) ?? type;
}

const withWarnings = ({ warnings }: JobSnapshot): string =>
  warnings === 0 ? '' : ` with ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;

function callbackText(data: unknown): string {
  const tried = CallbackTry.parse(data);
  if (tried.error === null) return `The callback was delivered in try ${tried.try}.`;
  const next = tried.nextTryAt === null ? 'it is given up' : `the next is due at ${tried.nextTryAt}`;
  return `Try ${tried.try} to deliver the callback failed, ${next}: ${tried.error}.`;
}
