import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OriginalCache } from '../../../../../workers/pdf/photos/memory-caches.ts';

const second = 1_000;
const photo = (bytes: number) => Buffer.alloc(bytes);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a photo waits until it is taken, and a moment longer for whoever cuts it again', () => {
  const held = new OriginalCache(100);
  expect(held.add('a', photo(60))).toBe(true);
  vi.advanceTimersByTime(60 * second);
  expect(held.take('a')).toHaveLength(60);
  vi.advanceTimersByTime(4 * second);
  expect(held.take('a')).toHaveLength(60);
  vi.advanceTimersByTime(second);
  expect(held.take('a')).toBeUndefined();
});

it('one that waits is not given up for another, which finds no room', () => {
  const held = new OriginalCache(100);
  held.add('a', photo(60));
  expect(held.add('b', photo(60))).toBe(false);
  expect(held.take('a')).toHaveLength(60);
  expect(held.add('b', photo(60))).toBe(true);
  expect([held.take('a'), held.take('b')?.length]).toEqual([undefined, 60]);
  // Nor does a timer hold the one that was given up.
  expect(vi.getTimerCount()).toBe(1);
});

it('one that nobody takes makes room after some minutes', () => {
  const held = new OriginalCache(100);
  held.add('a', photo(60));
  vi.advanceTimersByTime(5 * 60 * second);
  expect(held.add('b', photo(60))).toBe(true);
});

it('the same photo counts once, and its time begins anew', () => {
  const held = new OriginalCache(100);
  held.add('a', photo(60));
  vi.advanceTimersByTime(4 * 60 * second);
  expect(held.add('a', photo(60))).toBe(true);
  vi.advanceTimersByTime(2 * 60 * second);
  expect(held.add('b', photo(40))).toBe(true);
  expect(held.take('a')).toHaveLength(60);
});
