import { describe, expect, it, vi } from 'vitest';
import { openStreamSlots } from '../../../../api/jobs/sse-limiter.ts';

const hangUp = () => new AbortController();

describe('event streams of one process', () => {
  it('are bounded for each client by itself', () => {
    const slots = openStreamSlots(2);
    const take = (client: string) => slots.take(client, hangUp().signal);
    take('one');
    const second = take('one');
    expect(() => take('one')).toThrow('2 event streams');
    expect(() => take('other')).not.toThrow();
    second.release();
    second.release();
    expect(() => take('one')).not.toThrow();
    expect(() => take('one')).toThrow('2 event streams');
  });

  it('end when their client hangs up', () => {
    const client = hangUp();
    const slot = openStreamSlots(1).take('one', client.signal);
    client.abort();
    expect(slot.signal.aborted).toBe(true);
  });

  it('are cut off a second after the process was told to stop', () => {
    vi.useFakeTimers();
    try {
      const slots = openStreamSlots(1);
      const slot = slots.take('one', hangUp().signal);
      slots.close();
      expect(slot.signal.aborted).toBe(false);
      vi.advanceTimersByTime(1_000);
      expect(slot.signal.aborted).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});
