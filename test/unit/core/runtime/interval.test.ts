import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { startInterval } from '../../../../core/runtime/interval.ts';

const logger = pino({ level: 'silent' });
const hour = 3_600_000;

describe('a recurring task', () => {
  it('runs at once after runNow', async () => {
    let runs = 0;
    const task = startInterval('count', hour, logger, async () => {
      runs += 1;
    });
    await expect.poll(() => runs).toBe(1);
    task.runNow();
    await expect.poll(() => runs).toBe(2);
    await task.stop();
    task.runNow();
    expect(runs).toBe(2);
  });

  it('runs once more after the current run when runNow is called during it, never twice at once', async () => {
    let runs = 0;
    let concurrent = 0;
    let maxConcurrent = 0;
    let finish = () => {};
    const task = startInterval('count', hour, logger, async () => {
      runs += 1;
      maxConcurrent = Math.max(maxConcurrent, ++concurrent);
      if (runs === 1)
        await new Promise<void>(resolve => {
          finish = resolve;
        });
      concurrent -= 1;
    });
    task.runNow();
    task.runNow();
    finish();
    await expect.poll(() => runs).toBe(2);
    await task.stop();
    expect(maxConcurrent).toBe(1);
    expect(runs).toBe(2);
  });

  it('runs again after a failure', async () => {
    let runs = 0;
    const task = startInterval('fail', 1, logger, async () => {
      runs += 1;
      throw new Error('this run failed');
    });
    await expect.poll(() => runs).toBeGreaterThan(1);
    await task.stop();
  });
});
