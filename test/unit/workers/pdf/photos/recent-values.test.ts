import { expect, it } from 'vitest';
import { RecentCache } from '../../../../../workers/pdf/photos/memory-caches.ts';

const recentOf = (maxBytes: number) => new RecentCache<Buffer>(maxBytes, ({ length }) => length);

it('keeps what was used last, within its bytes', () => {
  const recent = recentOf(100);
  recent.set('a', Buffer.alloc(40));
  recent.set('b', Buffer.alloc(40));
  recent.get('a');
  recent.set('c', Buffer.alloc(40));
  expect(['a', 'b', 'c'].filter(key => recent.get(key))).toEqual(['a', 'c']);
});

it('counts a replaced value once, and keeps nothing larger than itself', () => {
  const recent = recentOf(100);
  recent.set('a', Buffer.alloc(60));
  recent.set('a', Buffer.alloc(60));
  recent.set('b', Buffer.alloc(40));
  expect(recent.get('a')).toBeDefined();
  recent.set('c', Buffer.alloc(101));
  expect(['a', 'b', 'c'].filter(key => recent.get(key))).toEqual([]);
});
