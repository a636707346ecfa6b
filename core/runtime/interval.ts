/** Does something again and again, never two at once; a failure is logged and the next turn comes all the same. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Repetition {
  /** Lets the next turn come at once, or right after the one under way. */
  now(): void;
  /** Waits for the turn under way. */
  stop(): Promise<void>;
}

export function repeat(
  name: string,
  everyMs: number,
  logger: Logger,
  turn: () => Promise<unknown>,
): Repetition {
  let stopping = false;
  let pause = new AbortController();
  const run = async () => {
    while (!stopping) {
      try {
        await turn();
      } catch (error) {
        logger.warn({ err: error, turn: name }, 'a recurring task failed; it is tried again');
      }
      await sleep(everyMs, undefined, { signal: pause.signal }).catch(() => undefined);
      if (!stopping) pause = new AbortController();
    }
  };
  const running = run();
  return {
    now: () => pause.abort(),
    async stop() {
      stopping = true;
      pause.abort();
      await running;
    },
  };
}
