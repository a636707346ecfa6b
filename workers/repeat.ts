/** Does something again and again, never two at once; a failure is logged and the next turn comes all the same. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/logger.ts';

export interface Repetition {
  /** Waits for the turn under way. */
  stop(): Promise<void>;
}

export function repeat(
  name: string,
  everyMs: number,
  logger: Logger,
  turn: () => Promise<unknown>,
): Repetition {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await turn();
      } catch (error) {
        logger.warn({ err: error, turn: name }, 'a recurring task failed; it is tried again');
      }
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
