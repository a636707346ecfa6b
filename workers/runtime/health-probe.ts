/** Health probes of a worker: periodically checks parts that only it has, such as the browser, for the readiness view. */
import type { AppContext } from '../../core/app.ts';
import { errorText } from '../../core/doctor/check.ts';
import { createWorkerHealth } from '../../core/jobs/repository/heartbeats.ts';
import { type CheckFinding, failure } from '../../core/runtime/finding.ts';
import { type Interval, startInterval } from '../../core/runtime/interval.ts';
import { createTimeout, untilAborted } from '../../core/runtime/timeout.ts';
import type { ServedKind } from './worker.ts';

const probeEveryMs = 15 * 60_000;
/** Includes the wait for running jobs that use the same part. */
const timeoutMs = 120_000;

/** Stop it before the handlers are closed. */
export function startHealthProbes(
  kinds: readonly ServedKind[],
  workerId: string,
  { database, logger }: Pick<AppContext, 'database' | 'logger'>,
): Pick<Interval, 'runNow' | 'stop'> {
  const health = createWorkerHealth(database);
  const stopping = new AbortController();
  const probing = startInterval('health probe', probeEveryMs, logger, async () => {
    for (const kind of kinds) {
      const findings = await probe(kind, stopping.signal);
      if (stopping.signal.aborted) return;
      for (const [check, finding] of Object.entries(findings))
        if (finding.level !== 'ok') logger.warn({ check, ...finding }, 'health probe failed');
      await health.write(workerId, findings);
    }
  });
  return {
    runNow: probing.runNow,
    async stop() {
      stopping.abort();
      await probing.stop();
      // An outage must not end the process before its running jobs.
      await health
        .remove(workerId)
        .catch(error => logger.debug({ err: error }, 'the findings of this worker were not deleted'));
    },
  };
}

async function probe(
  { contract, handler }: ServedKind,
  stop: AbortSignal,
): Promise<Readonly<Record<string, CheckFinding>>> {
  if (!handler.check) return {};
  const timeout = createTimeout(timeoutMs, stop);
  try {
    return await untilAborted(handler.check(timeout.signal), timeout.signal);
  } catch (error) {
    const found = timeout.hasExpired() ? `no answer within ${timeoutMs / 1_000} s` : errorText(error);
    return { [contract.kind]: failure(found, 'restart the worker if this persists') };
  } finally {
    timeout.clear();
  }
}
