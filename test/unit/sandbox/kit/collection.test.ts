import { describe, expect, it } from 'vitest';
import { createCollection } from '../../../../sandbox/kit/collection.ts';

const letters = () =>
  createCollection({ seed: () => ['a', 'b', 'c'].map(id => ({ id })), key: (row: { id: string }) => row.id });

describe('a collection', () => {
  it('is seeded when it is first needed, not before', () => {
    let seedings = 0;
    const collection = createCollection({
      seed: () => {
        seedings += 1;
        return [{ id: 1 }];
      },
      key: row => row.id,
    });
    expect(seedings).toBe(0);
    collection.all();
    collection.get(1);
    expect(seedings).toBe(1);
  });

  it('is emptied, halved and put back', () => {
    const collection = letters();
    collection.halve();
    expect(collection.all()).toEqual([{ id: 'a' }, { id: 'b' }]);
    collection.empty();
    expect(collection.size).toBe(0);
    collection.put({ id: 'z' });
    collection.reset();
    expect(collection.all().map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('makes what is derived from it again after a change, and only then', () => {
    const collection = letters();
    let makings = 0;
    const ids = collection.derive(rows => {
      makings += 1;
      return rows.map(({ id }) => id).join('');
    });
    expect([ids(), ids()]).toEqual(['abc', 'abc']);
    collection.delete('b');
    expect(ids()).toBe('ac');
    expect(makings).toBe(2);
  });
});
