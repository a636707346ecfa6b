/** The job as the API shows it. */
import { z } from 'zod';
import { isFinal, type JobRecord, JobState, Problem, Progress, Warning } from '../core/job-record.ts';

const time = z.iso.datetime();

export const JobResource = z
  .object({
    id: z.string(),
    kind: z.string(),
    state: JobState,
    progress: Progress.nullable(),
    attempts: z.object({ made: z.int(), max: z.int() }),
    createdAt: time,
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
    result: z.unknown().describe('What the kind of job promises; null until it succeeded.'),
    error: Problem.nullable().describe('Why the job failed, or why its last attempt did.'),
    warnings: z.array(Warning),
    links: z.object({ self: z.string(), result: z.string().optional() }),
  })
  .meta({ id: 'Job' });
export type JobResource = z.infer<typeof JobResource>;

/** @param basePath the prefix of the links, such as `/v2` */
export function jobResource(job: JobRecord, basePath: string): JobResource {
  const self = `${basePath}/jobs/${job.id}`;
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    progress: job.progress,
    attempts: { made: job.attemptsMade, max: job.attemptsMax },
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    finishedAt: job.finishedAt?.toISOString() ?? null,
    result: job.result ?? null,
    error: job.error,
    warnings: job.warnings,
    links: { self, ...(job.state === 'succeeded' && { result: `${self}/result` }) },
  };
}

/** How soon to ask again, in seconds. */
export const retryAfterSeconds = (job: JobRecord): number => (isFinal(job.state) ? 0 : 2);
