import { expect, it } from 'vitest';
import { RecentBuffers } from '../../../../../workers/pdf/photos/recent-buffers.ts';

const sized = (bytes: number) => ({ content: Buffer.alloc(bytes) });

it('keeps what was used last, within its bytes', () => {
  const recent = new RecentBuffers(100);
  recent.set('a', sized(40));
  recent.set('b', sized(40));
  recent.get('a');
  recent.set('c', sized(40));
  expect(['a', 'b', 'c'].filter(key => recent.get(key))).toEqual(['a', 'c']);
});

it('counts a replaced value once, and keeps nothing larger than itself', () => {
  const recent = new RecentBuffers(100);
  recent.set('a', sized(60));
  recent.set('a', sized(60));
  recent.set('b', sized(40));
  expect(recent.get('a')).toBeDefined();
  recent.set('c', sized(101));
  expect(['a', 'b', 'c'].filter(key => recent.get(key))).toEqual([]);
});
