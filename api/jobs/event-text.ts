/** Sentences for the events of a job's timeline. */
import { CallbackTry, type JobEvent, type JobEventType, JobSnapshot } from '../../core/jobs/event.ts';
import { waitOf } from '../../core/jobs/record.ts';
import { problemText } from '../../core/runtime/errors.ts';

/** Events that carry a snapshot of the job after the change. */
const changeTexts: Partial<Record<JobEventType, (job: JobSnapshot) => string>> = {
  accepted: () => 'The job was accepted.',
  begun: job => `Attempt ${job.attemptsMade} started.`,
  // The timeline has the start of each stage only: what is done then says nothing about its end.
  progress: ({ progress }) => `Stage ${progress?.stage} started${toDo(progress?.total)}.`,
  'retry-scheduled': job =>
    waitOf(job)
      ? `The job waits for ${waitOf(job)}; the attempt does not count: ${errorText(job)}`
      : `Attempt ${job.attemptsMade} failed and will be retried: ${errorText(job)}`,
  'handed-back': () => 'The worker shut down and handed the job back; the attempt does not count.',
  held: () => 'The job is held: its plan exceeds the limits for changes. A person has to release or cancel it.',
  released: () => 'The job was released and carries out its plan.',
  succeeded: job => `The job succeeded in attempt ${job.attemptsMade}${withWarnings(job)}.`,
  failed: job => `The job failed: ${errorText(job)}`,
  cancelled: job => (job.error ? `The job was cancelled: ${errorText(job)}` : 'The job was cancelled.'),
  requeued: () => 'A retry of the job was requested.',
  changed: job => `${job.attemptsMade} attempts made, ${job.warnings} warnings.`,
};

/** All other events. */
const otherTexts: Partial<Record<JobEventType, (data: unknown) => string>> = {
  'cancel-requested': () => 'Cancellation was requested.',
  'callback-tried': callbackText,
  'callback-requested': () => 'An operator requested another delivery of the callback.',
  'result-downloaded': () => 'The result was downloaded.',
  'put-back': () => 'The job was missing from its queue and was enqueued again.',
};

export function eventText({ type, data }: JobEvent): string {
  return changeTexts[type]?.(JobSnapshot.parse(data)) ?? otherTexts[type]?.(data) ?? type;
}

const toDo = (total = 1): string => (total > 1 ? `, ${total} to do` : '');

const errorText = ({ error }: JobSnapshot): string => (error ? problemText(error) : 'no error');

const withWarnings = ({ warnings }: JobSnapshot): string =>
  warnings === 0 ? '' : ` with ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;

function callbackText(data: unknown): string {
  const tried = CallbackTry.parse(data);
  if (tried.error === null) return `The callback was delivered at try ${tried.try}.`;
  const next = tried.nextTryAt === null ? 'no further tries' : `the next is due at ${tried.nextTryAt}`;
  return `Try ${tried.try} to deliver the callback failed, ${next}: ${tried.error}.`;
}
