import { describe, expect, it } from 'vitest';
import { PrintSlots } from '../../../../../workers/pdf/print/print-slots.ts';

const never = new AbortController().signal;

describe('lanes', () => {
  it('go to those who wait in the order they came', async () => {
    const lanes = new PrintSlots(1, 5);
    const order: string[] = [];
    const first = await lanes.acquire(never);
    const second = lanes.acquire(never).then(lane => {
      order.push('second');
      lanes.release(lane);
    });
    const third = lanes.acquire(never).then(() => order.push('third'));
    expect(lanes.waiting).toBe(2);
    lanes.release(first);
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
    expect([lanes.busy, lanes.waiting]).toEqual([1, 0]);
  });

  it('are refused to those who come to a full line, with a time to come again', async () => {
    const lanes = new PrintSlots(1, 0);
    await lanes.acquire(never);
    await expect(lanes.acquire(never)).rejects.toMatchObject({
      code: 'service-unavailable',
      retryAfterSeconds: 10,
    });
  });

  it('are not kept for one who left the line', async () => {
    const lanes = new PrintSlots(1, 5);
    const lane = await lanes.acquire(never);
    const leaver = new AbortController();
    const left = lanes.acquire(leaver.signal);
    const next = lanes.acquire(never);
    leaver.abort(new Error('cancelled'));
    await expect(left).rejects.toThrow('cancelled');
    lanes.release(lane);
    expect(await next).toBe(lane);
  });

  it('are not given to one who was cancelled before', async () => {
    const lanes = new PrintSlots(1, 5);
    await expect(lanes.acquire(AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
    expect(lanes.busy).toBe(0);
  });

  it('are refused to all who wait or come once closed', async () => {
    const lanes = new PrintSlots(1, 5);
    await lanes.acquire(never);
    const waiting = lanes.acquire(never);
    lanes.close();
    await expect(waiting).rejects.toMatchObject({ code: 'service-unavailable' });
    await expect(lanes.acquire(never)).rejects.toMatchObject({ code: 'service-unavailable' });
  });
});
