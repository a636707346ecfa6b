import { describe, expect, it } from 'vitest';
import { inLanes } from '../../../../../workers/pdf/photos/in-lanes.ts';

const signal = new AbortController().signal;
const turn = () => new Promise(setImmediate);

describe('work in lanes', () => {
  it('answers in the order of the items', async () => {
    const answers = await inLanes(
      [3, 1, 2],
      { total: 2, perLane: 2, laneOf: () => '', signal },
      async item => {
        for (let i = 0; i < item; i += 1) await turn();
        return item * 10;
      },
    );
    expect(answers).toEqual([30, 10, 20]);
  });

  it('never runs more than its bounds, and uses them', async () => {
    const items = Array.from({ length: 40 }, (_, index) => (index < 30 ? 'slow' : 'other'));
    const running = new Map<string, number>();
    const peaks = { total: 0, slow: 0 };
    await inLanes(items, { total: 8, perLane: 6, laneOf: item => item, signal }, async item => {
      running.set(item, (running.get(item) ?? 0) + 1);
      peaks.slow = Math.max(peaks.slow, running.get('slow') ?? 0);
      peaks.total = Math.max(peaks.total, (running.get('slow') ?? 0) + (running.get('other') ?? 0));
      await turn();
      running.set(item, (running.get(item) ?? 1) - 1);
    });
    expect(peaks).toEqual({ total: 8, slow: 6 });
  });

  it('stops at the first error, after what is running has ended', async () => {
    const ended: number[] = [];
    const working = inLanes(
      [1, 2, 3, 4, 5, 6],
      { total: 2, perLane: 2, laneOf: () => '', signal },
      async item => {
        if (item === 1) throw new Error('broken');
        await turn();
        ended.push(item);
      },
    );
    await expect(working).rejects.toThrow('broken');
    expect(ended).toEqual([2]);
  });

  it('stops when aborted, with the reason', async () => {
    const stop = new AbortController();
    const reason = new Error('cancelled');
    let started = 0;
    const working = inLanes(
      [1, 2, 3],
      { total: 1, perLane: 1, laneOf: () => '', signal: stop.signal },
      async () => {
        started += 1;
        stop.abort(reason);
      },
    );
    await expect(working).rejects.toBe(reason);
    expect(started).toBe(1);
  });
});
