/** Metrics and span of one run. */
import { type JobRecord, waitOf } from '../../core/jobs/record.ts';
import { jobRetries, jobRunSeconds, jobWaitSeconds } from '../../core/telemetry/meter.ts';
import { openSpan } from '../../core/telemetry/spans.ts';

export type RunOutcome = 'succeeded' | 'held' | 'failed' | 'retried' | 'cancelled' | 'handed-back' | 'taken-over';

const failures: readonly RunOutcome[] = ['failed', 'retried'];

/** @param work calls `ended` before it returns or throws */
export async function measureRun(
  job: JobRecord,
  work: (ended: (outcome: RunOutcome) => void) => Promise<void>,
): Promise<void> {
  const { kind } = job;
  // Retries, and jobs that waited for an outside system or for space, wait on purpose.
  if (job.attemptsMade === 1 && !waitOf(job))
    jobWaitSeconds.observe({ kind }, Math.max(0, Date.now() - job.queuedAt.getTime()) / 1_000);
  const stop = jobRunSeconds.startTimer({ kind });
  const span = openSpan(`job ${kind}`, { role: 'internal', attributes: attributesOf(job) });
  const end: { outcome: RunOutcome } = { outcome: 'failed' };
  const working = () =>
    work(outcome => {
      end.outcome = outcome;
    });
  try {
    await (span ? span.within(working) : working());
  } finally {
    const { outcome } = end;
    stop({ outcome });
    if (outcome === 'retried') jobRetries.inc({ kind });
    span?.set({ 'portal.job.outcome': outcome });
    span?.end(failures.includes(outcome) ? outcome : undefined);
  }
}

const attributesOf = (job: JobRecord) => ({
  'portal.job.id': job.id,
  'portal.job.kind': job.kind,
  'portal.job.attempt': job.attemptsMade,
  'portal.client.id': job.clientId,
  'portal.request.id': job.requestId ?? undefined,
});
