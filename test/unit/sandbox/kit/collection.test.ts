import { describe, expect, it } from 'vitest';
import { createCollection } from '../../../../sandbox/kit/collection.ts';

const letters = () =>
  createCollection({ seed: () => ['a', 'b', 'c'].map(id => ({ id })), key: (row: { id: string }) => row.id });

describe('a collection', () => {
  it('is seeded on first use', () => {
    let seedCalls = 0;
    const collection = createCollection({
      seed: () => {
        seedCalls += 1;
        return [{ id: 1 }];
      },
      key: row => row.id,
    });
    expect(seedCalls).toBe(0);
    collection.all();
    collection.get(1);
    expect(seedCalls).toBe(1);
  });

  it('is emptied, halved and reset', () => {
    const collection = letters();
    collection.halve();
    expect(collection.all()).toEqual([{ id: 'a' }, { id: 'b' }]);
    collection.empty();
    expect(collection.size).toBe(0);
    collection.put({ id: 'z' });
    collection.reset();
    expect(collection.all().map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('recomputes a derived value only after a change', () => {
    const collection = letters();
    let computations = 0;
    const ids = collection.derive(rows => {
      computations += 1;
      return rows.map(({ id }) => id).join('');
    });
    expect([ids(), ids()]).toEqual(['abc', 'abc']);
    collection.delete('b');
    expect(ids()).toBe('ac');
    expect(computations).toBe(2);
  });
});
