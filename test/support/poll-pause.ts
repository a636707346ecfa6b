/** Pauses between two polls of a test. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Grows with the wait: a short wait ends at once, and a long one takes little of the CPU time that it waits for. */
export const pollPause = (waitingSince: number): Promise<void> =>
  sleep(Math.min(400, 10 + (Date.now() - waitingSince) / 10));
