import { describe, expect, it } from 'vitest';
import { mapConcurrent } from '../../../../core/runtime/map-concurrent.ts';

const nextTick = () => new Promise(setImmediate);

describe('mapConcurrent', () => {
  it('returns the results in the order of the items', async () => {
    const results = await mapConcurrent([3, 1, 2], { limit: 2 }, async item => {
      for (let i = 0; i < item; i += 1) await nextTick();
      return item * 10;
    });
    expect(results).toEqual([30, 10, 20]);
  });

  it('reaches the limits in total and per key, and never exceeds them', async () => {
    const items = Array.from({ length: 40 }, (_, index) => (index < 30 ? 'slow' : 'other'));
    const running = new Map<string, number>();
    const peaks = { total: 0, slow: 0 };
    await mapConcurrent(items, { limit: 8, perKey: { limit: 6, keyOf: item => item } }, async item => {
      running.set(item, (running.get(item) ?? 0) + 1);
      peaks.slow = Math.max(peaks.slow, running.get('slow') ?? 0);
      peaks.total = Math.max(peaks.total, (running.get('slow') ?? 0) + (running.get('other') ?? 0));
      await nextTick();
      running.set(item, (running.get(item) ?? 1) - 1);
    });
    expect(peaks).toEqual({ total: 8, slow: 6 });
  });

  it('reports progress after each item', async () => {
    const progress: string[] = [];
    const onProgress = (done: number, total: number) => progress.push(`${done}/${total}`);
    await mapConcurrent(new Set(['a', 'b', 'c']), { limit: 2, onProgress }, nextTick);
    expect(progress).toEqual(['1/3', '2/3', '3/3']);
  });

  it('throws the first error after the items in progress have ended, and starts no more', async () => {
    const ended: number[] = [];
    const working = mapConcurrent([1, 2, 3, 4, 5, 6], { limit: 2 }, async item => {
      if (item === 1) throw new Error('broken');
      await nextTick();
      ended.push(item);
    });
    await expect(working).rejects.toThrow('broken');
    expect(ended).toEqual([2]);
  });

  it('throws the reason of an aborted signal, and starts no more', async () => {
    const stop = new AbortController();
    const reason = new Error('cancelled');
    let started = 0;
    const working = mapConcurrent([1, 2, 3], { limit: 1, signal: stop.signal }, async () => {
      started += 1;
      stop.abort(reason);
    });
    await expect(working).rejects.toBe(reason);
    expect(started).toBe(1);
  });
});
