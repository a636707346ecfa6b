import { describe, expect, it } from 'vitest';
import { PrintSlots } from '../../../../../workers/pdf/print/print-slots.ts';

const never = new AbortController().signal;

describe('PrintSlots', () => {
  it('serves waiters in order of arrival', async () => {
    const slots = new PrintSlots(1, 5);
    const order: string[] = [];
    const first = await slots.acquire(never);
    const second = slots.acquire(never).then(slot => {
      order.push('second');
      slots.release(slot);
    });
    const third = slots.acquire(never).then(() => order.push('third'));
    expect(slots.waiting).toBe(2);
    slots.release(first);
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
    expect([slots.busy, slots.waiting]).toEqual([1, 0]);
  });

  it('rejects with a retry time when the queue is full', async () => {
    const slots = new PrintSlots(1, 0);
    await slots.acquire(never);
    await expect(slots.acquire(never)).rejects.toMatchObject({
      code: 'service-unavailable',
      retryAfterSeconds: 10,
    });
  });

  it('skips a waiter that was cancelled', async () => {
    const slots = new PrintSlots(1, 5);
    const slot = await slots.acquire(never);
    const cancelled = new AbortController();
    const waiting = slots.acquire(cancelled.signal);
    const next = slots.acquire(never);
    cancelled.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    slots.release(slot);
    expect(await next).toBe(slot);
  });

  it('rejects a cancelled caller without using a slot', async () => {
    const slots = new PrintSlots(1, 5);
    await expect(slots.acquire(AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
    expect(slots.busy).toBe(0);
  });

  it('rejects current and future waiters once closed', async () => {
    const slots = new PrintSlots(1, 5);
    await slots.acquire(never);
    const waiting = slots.acquire(never);
    slots.close();
    await expect(waiting).rejects.toMatchObject({ code: 'service-unavailable' });
    await expect(slots.acquire(never)).rejects.toMatchObject({ code: 'service-unavailable' });
  });
});
