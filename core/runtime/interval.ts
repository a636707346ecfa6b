/** Runs a task at an interval, one run at a time. A failed run is logged; the next one follows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export type Interval = ReturnType<typeof startInterval>;

/** The first run starts at once; `everyMs` counts from the end of a run. */
export function startInterval(name: string, everyMs: number, logger: Logger, task: () => Promise<unknown>) {
  let stopping = false;
  let pause = new AbortController();
  let succeededAt = Number.NEGATIVE_INFINITY;
  const run = async () => {
    while (!stopping) {
      try {
        await task();
        succeededAt = performance.now();
      } catch (error) {
        logger.warn({ err: error, task: name }, 'a recurring task failed; it runs again after its interval');
      }
      await sleep(everyMs, undefined, { signal: pause.signal }).catch(() => undefined);
      if (!stopping) pause = new AbortController();
    }
  };
  const running = run();
  return {
    /** Starts the next run at once, or right after the current one. */
    runNow: () => pause.abort(),
    /** Milliseconds since the last run without an error; infinite before it. */
    age: () => performance.now() - succeededAt,
    /** Waits for the current run. */
    async stop(): Promise<void> {
      stopping = true;
      pause.abort();
      await running;
    },
  };
}
