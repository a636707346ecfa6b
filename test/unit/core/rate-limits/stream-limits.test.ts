import { describe, expect, it, vi } from 'vitest';
import { openSseLimiter } from '../../../../core/rate-limits/stream-limits.ts';

const hangUp = () => new AbortController();

describe('event streams of a process', () => {
  it('are limited per client', () => {
    const limiter = openSseLimiter(2);
    const take = (client: string) => limiter.take(client, hangUp().signal);
    take('one');
    const second = take('one');
    expect(() => take('one')).toThrow('at most 2 open event streams');
    expect(() => take('other')).not.toThrow();
    second.release();
    second.release();
    expect(() => take('one')).not.toThrow();
    expect(() => take('one')).toThrow('at most 2 open event streams');
  });

  it('end when the client disconnects', () => {
    const client = hangUp();
    const slot = openSseLimiter(1).take('one', client.signal);
    client.abort();
    expect(slot.signal.aborted).toBe(true);
  });

  it('are aborted one second after shutdown starts', () => {
    vi.useFakeTimers();
    try {
      const limiter = openSseLimiter(1);
      const slot = limiter.take('one', hangUp().signal);
      limiter.close();
      expect(slot.signal.aborted).toBe(false);
      vi.advanceTimersByTime(1_000);
      expect(slot.signal.aborted).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});
