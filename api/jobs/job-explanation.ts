/** Explains why a job waits and estimates for how long, from its row, the queue and the workers' heartbeats. */
import { z } from 'zod';
import type { JobContract } from '../../core/jobs/contract.ts';
import { isFinal, type JobRecord, JobState, waitOf } from '../../core/jobs/record.ts';
import { problemText } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';

const Cause = z
  .enum([
    'ended',
    'running',
    'cancelling',
    'held',
    'no-worker',
    'paused',
    'queue-away',
    'next-attempt',
    'system-unavailable',
    'storage-full',
    'behind-others',
    'next',
  ])
  .describe(
    '`system-unavailable`: an outside system, named in `reason`, is unavailable; the job continues from its checkpoint ' +
      'when it answers again, and the wait uses no attempts. `storage-full`: the same, for space on a disk of the service.',
  );
type Cause = z.infer<typeof Cause>;

const seconds = z.int().min(0).nullable();

export const Explanation = z
  .object({
    id: z.string().describe('The job’s id.'),
    state: JobState.describe('Where the job stands.'),
    cause: Cause,
    reason: z.string().describe('The cause as a sentence.'),
    startsInSeconds: seconds.describe('Estimated; null when unknown.'),
    endsInSeconds: seconds.describe('Estimated; null when unknown.'),
    nextAttemptAt: z.iso.datetime().nullable().describe('Start of the next attempt; null: none is scheduled.'),
    queue: z
      .object({
        before: z.int().describe('Waiting jobs of the kind that run earlier.'),
        ownBefore: z.int().describe('Those of the job’s own client.'),
        running: z.int().describe('Running jobs of the kind.'),
        ownRunning: z.int().describe('Those of the job’s own client.'),
      })
      .nullable()
      .describe('Null unless the job waits.'),
    workers: z
      .object({
        alive: z.int().describe('Live worker processes for the kind.'),
        places: z.int().describe('Jobs of the kind that they can run at once.'),
      })
      .describe('The workers for the kind.'),
    typical: z
      .object({
        jobs: z.int().describe('Number of jobs.'),
        waitSeconds: z.number().describe('From acceptance to start.'),
        runSeconds: z.number().describe('From start to end.'),
      })
      .nullable()
      .describe('Medians of the latest ended jobs of the kind; null when there are none.'),
  })
  .meta({
    id: 'JobExplanation',
    examples: [
      {
        id: 'pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11',
        state: 'queued',
        cause: 'behind-others',
        reason: 'Three jobs of its kind go first.',
        startsInSeconds: 4,
        endsInSeconds: 6,
        nextAttemptAt: null,
        queue: { before: 3, ownBefore: 1, running: 2, ownRunning: 1 },
        workers: { alive: 1, places: 2 },
        typical: { jobs: 120, waitSeconds: 0.2, runSeconds: 1.6 },
      },
    ],
  });
export type Explanation = z.infer<typeof Explanation>;

type Situation = Awaited<ReturnType<typeof situationOf>>;

export async function explainJob(job: JobRecord, services: ApiServices): Promise<Explanation> {
  const situation = await situationOf(job, services);
  const cause = causeOf(situation);
  const { queue, nextAttemptAt, workers, typical } = situation;
  return {
    id: job.id,
    state: job.state,
    cause,
    reason: reasons[cause](situation),
    ...estimate(cause, situation),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    queue: queue ?? null,
    workers,
    typical: typical
      ? { jobs: typical.jobs, waitSeconds: round(typical.waitSeconds), runSeconds: round(typical.runSeconds) }
      : null,
  };
}

async function situationOf(job: JobRecord, services: ApiServices) {
  const contract = services.contracts.get(job.kind);
  const waits = job.state === 'queued' || job.state === 'scheduled';
  const [heartbeats, typical, queue, isPaused, nextAttemptAt] = await Promise.all([
    services.heartbeats.read(),
    services.eta.typical(job.kind),
    waits ? services.estimates.queuePosition(job) : undefined,
    contract && waits
      ? services.queues
          .queue(contract)
          .isPaused()
          .catch(() => undefined)
      : false,
    contract && job.state === 'scheduled' ? nextAttempt(job, contract, services) : undefined,
  ]);
  const alive = heartbeats.find(({ kind }) => kind === job.kind)?.alive ?? 0;
  return {
    job,
    queue,
    /** Undefined: the queue cannot be reached. */
    isPaused,
    nextAttemptAt,
    workers: { alive, places: alive * (contract?.concurrency ?? 0) },
    typical,
  };
}

/** Backoff has jitter, so only the message knows the delay; it counts from the failure of the previous attempt. */
async function nextAttempt(
  job: JobRecord,
  contract: JobContract,
  { events, queues }: ApiServices,
): Promise<Date | undefined> {
  const [failedAt, message] = await Promise.all([
    events.lastChangeAt(job.id),
    queues
      .queue(contract)
      .getJob(job.id)
      .catch(() => undefined),
  ]);
  return failedAt && message ? new Date(failedAt.getTime() + message.delay) : undefined;
}

function causeOf({ job, queue, isPaused, workers }: Situation): Cause {
  if (isFinal(job.state)) return 'ended';
  if (job.state === 'held') return 'held';
  if (job.state === 'running') return job.cancelRequestedAt ? 'cancelling' : 'running';
  if (isPaused === undefined) return 'queue-away';
  if (isPaused) return 'paused';
  if (workers.alive === 0) return 'no-worker';
  if (job.state === 'scheduled' && !waitOf(job)) return 'next-attempt';
  if (job.state === 'scheduled') return waitOf(job) === 'space on a disk' ? 'storage-full' : 'system-unavailable';
  return queue && queue.before > 0 ? 'behind-others' : 'next';
}

function waitText({ job, nextAttemptAt }: Situation): string {
  const until = nextAttemptAt ? ` until ${nextAttemptAt.toISOString()}` : '';
  return `The job waits for ${waitOf(job)}${until}: ${job.error && problemText(job.error)}`;
}

const reasons: Record<Cause, (situation: Situation) => string> = {
  ended: ({ job }) => `The job has ended: it ${job.state === 'cancelled' ? 'was cancelled' : job.state}.`,
  running: ({ job: { attemptsMade, waitsFor } }) =>
    `The job is running, in attempt ${attemptsMade}${waitsFor === null ? '' : `; its calls wait for ${waitsFor}`}.`,
  cancelling: () => 'Cancellation was requested; the job stops within seconds.',
  held: () =>
    'The job is held: its plan exceeds the limits for changes. It waits until a person releases or cancels it.',
  'no-worker': ({ job }) => `No worker for jobs of the kind ${job.kind} is running; the job waits for one.`,
  paused: ({ job }) => `The queue of the kind ${job.kind} is paused.`,
  'queue-away': () => 'The queue cannot be reached; the job is enqueued when it answers again.',
  'next-attempt': ({ nextAttemptAt }) =>
    `An attempt failed; the job waits for the next one${nextAttemptAt ? ` at ${nextAttemptAt.toISOString()}` : ''}.`,
  'system-unavailable': waitText,
  'storage-full': waitText,
  'behind-others': ({ queue }) => {
    const { before, ownBefore } = queue ?? { before: 0, ownBefore: 0 };
    const ahead = `${before} ${before === 1 ? 'job is' : 'jobs are'} ahead of it`;
    if (ownBefore === 0) return `${ahead}, from other clients.`;
    return before === ownBefore
      ? `${ahead}, from the same client.`
      : `${ahead}, ${ownBefore} of them from the same client.`;
  },
  next: () => 'The job is next; it starts as soon as a worker is free.',
};

/** From this share on, a run's progress says more about its end than earlier jobs. */
const minProjectedPercent = 10;

/** Assumes rounds of as many concurrent jobs as the workers allow, each of a typical run time. */
function estimate(
  cause: Cause,
  { job, queue, nextAttemptAt, workers, typical }: Situation,
): Pick<Explanation, 'startsInSeconds' | 'endsInSeconds'> {
  if (cause === 'ended') return { startsInSeconds: 0, endsInSeconds: 0 };
  const run = typical?.runSeconds;
  if (cause === 'running') {
    const runs = (Date.now() - (job.startedAt ?? job.createdAt).getTime()) / 1_000;
    const percent = job.progress?.percent ?? 0;
    // `startedAt` is the start of the first attempt.
    const isProjected = percent >= minProjectedPercent && job.attemptsMade === 1;
    const left = isProjected ? (runs * (100 - percent)) / percent : run && run - runs;
    return { startsInSeconds: 0, endsInSeconds: left === undefined ? null : Math.ceil(Math.max(1, left)) };
  }
  let starts: number | undefined;
  if (nextAttemptAt && ['next-attempt', 'system-unavailable', 'storage-full'].includes(cause))
    starts = (nextAttemptAt.getTime() - Date.now()) / 1_000;
  else if (queue && run !== undefined && ['behind-others', 'next'].includes(cause)) {
    starts = Math.floor((queue.before + queue.running) / workers.places) * run;
  }
  if (starts === undefined) return { startsInSeconds: null, endsInSeconds: null };
  const startsInSeconds = Math.ceil(Math.max(0, starts));
  return { startsInSeconds, endsInSeconds: run === undefined ? null : startsInSeconds + Math.ceil(run) };
}

const round = (value: number): number => Math.round(value * 100) / 100;
