/** Replaces the waits of `node:timers/promises` in a test file: they end at once, and are recorded. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { beforeAll, beforeEach, vi } from 'vitest';

interface Sleep {
  ms: number;
  signal: AbortSignal | undefined;
}

/** @param onSleep called with each wait, in ms @returns the waits of a test, in order */
export function recordSleeps(onSleep: (ms: number) => void = () => undefined): Sleep[] {
  const sleeps: Sleep[] = [];
  beforeAll(() => {
    const replaced = vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms = 0, value, options) => {
      sleeps.push({ ms, signal: options?.signal });
      onSleep(ms);
      return value;
    });
    // Modules that import the function by its name see the replacement.
    syncBuiltinESMExports();
    return () => {
      replaced.mockRestore();
      syncBuiltinESMExports();
    };
  });
  beforeEach(() => {
    sleeps.length = 0;
  });
  return sleeps;
}
