import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../../../workers/pdf/print/lanes.ts';

const never = new AbortController().signal;

describe('lanes', () => {
  it('go to those who wait in the order they came', async () => {
    const lanes = new Lanes(1, 5);
    const order: string[] = [];
    const first = await lanes.take(never);
    const second = lanes.take(never).then(lane => {
      order.push('second');
      lanes.give(lane);
    });
    const third = lanes.take(never).then(() => order.push('third'));
    expect(lanes.waiting).toBe(2);
    lanes.give(first);
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
    expect([lanes.busy, lanes.waiting]).toEqual([1, 0]);
  });

  it('are refused to those who come to a full line, with a time to come again', async () => {
    const lanes = new Lanes(1, 0);
    await lanes.take(never);
    await expect(lanes.take(never)).rejects.toMatchObject({
      code: 'service-unavailable',
      retryAfterSeconds: 10,
    });
  });

  it('are not kept for one who left the line', async () => {
    const lanes = new Lanes(1, 5);
    const lane = await lanes.take(never);
    const leaver = new AbortController();
    const left = lanes.take(leaver.signal);
    const next = lanes.take(never);
    leaver.abort(new Error('cancelled'));
    await expect(left).rejects.toThrow('cancelled');
    lanes.give(lane);
    expect(await next).toBe(lane);
  });

  it('are not given to one who was cancelled before', async () => {
    const lanes = new Lanes(1, 5);
    await expect(lanes.take(AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
    expect(lanes.busy).toBe(0);
  });

  it('are refused to all who wait or come once closed', async () => {
    const lanes = new Lanes(1, 5);
    await lanes.take(never);
    const waiting = lanes.take(never);
    lanes.close();
    await expect(waiting).rejects.toMatchObject({ code: 'service-unavailable' });
    await expect(lanes.take(never)).rejects.toMatchObject({ code: 'service-unavailable' });
  });
});
