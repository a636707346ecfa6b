/** A worker looks now and then at what only it has, such as its browser, and tells it to the readiness view. */

import type { Parts } from '../../core/app.ts';
import { errorText } from '../../core/doctor/run-checks.ts';
import { createWorkerChecks } from '../../core/jobs/repository/worker-checks.ts';
import { type Finding, failure } from '../../core/runtime/finding.ts';
import { type Repetition, repeat } from '../../core/runtime/interval.ts';
import { timeBound, untilAborted } from '../../core/runtime/timeout.ts';
import type { Post } from './worker.ts';

const everyMs = 15 * 60_000;
/** Also for one that waits until the jobs before it are printed. */
const patienceMs = 120_000;

/** Stop it before the handlers are closed. */
export function startSelfChecks(
  posts: readonly Post[],
  workerId: string,
  { database, logger }: Pick<Parts, 'database' | 'logger'>,
): Repetition {
  const checks = createWorkerChecks(database);
  const stopping = new AbortController();
  const turns = repeat('self-check', everyMs, logger, async () => {
    for (const post of posts) {
      const found = await lookAt(post, stopping.signal);
      if (stopping.signal.aborted) return;
      for (const [check, finding] of Object.entries(found))
        if (finding.level !== 'ok') logger.warn({ check, ...finding }, 'something is out of order');
      await checks.write(workerId, found);
    }
  });
  return {
    now: turns.now,
    async stop() {
      stopping.abort();
      await turns.stop();
      await checks.remove(workerId);
    },
  };
}

async function lookAt(
  { contract, handler }: Post,
  stop: AbortSignal,
): Promise<Readonly<Record<string, Finding>>> {
  if (!handler.check) return {};
  const time = timeBound(patienceMs, stop);
  try {
    return await untilAborted(handler.check(time.signal), time.signal);
  } catch (error) {
    const found = time.isOver() ? `no answer within ${patienceMs / 1_000} s` : errorText(error);
    return { [contract.kind]: failure(found, 'start the worker again if it stays so') };
  } finally {
    time.release();
  }
}
