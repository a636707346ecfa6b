import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OriginalCache, RecentCache } from '../../../../../workers/pdf/photos/memory-caches.ts';

describe('RecentCache', () => {
  const cacheOf = (maxBytes: number) => new RecentCache<Buffer>(maxBytes, ({ length }) => length);

  it('keeps the values used last, within its limit in bytes', () => {
    const cache = cacheOf(100);
    cache.set('a', Buffer.alloc(40));
    cache.set('b', Buffer.alloc(40));
    cache.get('a');
    cache.set('c', Buffer.alloc(40));
    expect(['a', 'b', 'c'].filter(key => cache.get(key))).toEqual(['a', 'c']);
  });

  it('counts a replaced value once, and keeps no value above the limit', () => {
    const cache = cacheOf(100);
    cache.set('a', Buffer.alloc(60));
    cache.set('a', Buffer.alloc(60));
    cache.set('b', Buffer.alloc(40));
    expect(cache.get('a')).toBeDefined();
    cache.set('c', Buffer.alloc(101));
    expect(['a', 'b', 'c'].filter(key => cache.get(key))).toEqual([]);
  });
});

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
