import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OriginalCache } from '../../../../../workers/pdf/photos/original-cache.ts';

describe('OriginalCache', () => {
  const second = 1_000;
  const photo = (bytes: number) => Buffer.alloc(bytes);

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('keeps an original until it is taken, and five seconds longer for a second crop', () => {
    const cache = new OriginalCache(100);
    expect(cache.add('a', photo(60))).toBe(true);
    vi.advanceTimersByTime(60 * second);
    expect(cache.take('a')).toHaveLength(60);
    vi.advanceTimersByTime(4 * second);
    expect(cache.take('a')).toHaveLength(60);
    vi.advanceTimersByTime(second);
    expect(cache.take('a')).toBeUndefined();
  });

  it('never evicts an original that was not taken yet, and rejects another without room', () => {
    const cache = new OriginalCache(100);
    cache.add('a', photo(60));
    expect(cache.add('b', photo(60))).toBe(false);
    expect(cache.take('a')).toHaveLength(60);
    expect(cache.add('b', photo(60))).toBe(true);
    expect([cache.take('a'), cache.take('b')?.length]).toEqual([undefined, 60]);
    // The timer of the evicted original was cleared.
    expect(vi.getTimerCount()).toBe(1);
  });

  it('evicts an original that is not taken after five minutes', () => {
    const cache = new OriginalCache(100);
    cache.add('a', photo(60));
    vi.advanceTimersByTime(5 * 60 * second);
    expect(cache.add('b', photo(60))).toBe(true);
  });

  it('counts an original that is added again once, and restarts its time', () => {
    const cache = new OriginalCache(100);
    cache.add('a', photo(60));
    vi.advanceTimersByTime(4 * 60 * second);
    expect(cache.add('a', photo(60))).toBe(true);
    vi.advanceTimersByTime(2 * 60 * second);
    expect(cache.add('b', photo(40))).toBe(true);
    expect(cache.take('a')).toHaveLength(60);
  });
});
