import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { startInterval } from '../../../../core/runtime/interval.ts';

const logger = pino({ level: 'silent' });
const hour = 3_600_000;

describe('a recurring task', () => {
  it('takes its next turn at once when it is told to', async () => {
    let turns = 0;
    const task = startInterval('count', hour, logger, async () => {
      turns += 1;
    });
    await expect.poll(() => turns).toBe(1);
    task.runNow();
    await expect.poll(() => turns).toBe(2);
    await task.stop();
    task.runNow();
    expect(turns).toBe(2);
  });

  it('that is told to during a turn takes one more after it, never two at once', async () => {
    let turns = 0;
    let atOnce = 0;
    let most = 0;
    let finish = () => {};
    const task = startInterval('count', hour, logger, async () => {
      turns += 1;
      most = Math.max(most, ++atOnce);
      if (turns === 1)
        await new Promise<void>(resolve => {
          finish = resolve;
        });
      atOnce -= 1;
    });
    task.runNow();
    task.runNow();
    finish();
    await expect.poll(() => turns).toBe(2);
    await task.stop();
    expect(most).toBe(1);
    expect(turns).toBe(2);
  });

  it('goes on after a failure', async () => {
    let turns = 0;
    const task = startInterval('fail', 1, logger, async () => {
      turns += 1;
      throw new Error('this turn failed');
    });
    await expect.poll(() => turns).toBeGreaterThan(1);
    await task.stop();
  });
});
