import { describe, expect, it } from 'vitest';
import { createBatchLoader } from '../../../../core/postgres/batch-loader.ts';
import { gate } from '../../../support/gate.ts';

const nextTurn = () => new Promise(resolve => setImmediate(resolve));
const upperCase = (keys: string[]) => new Map(keys.filter(key => key !== 'none').map(key => [key, key.toUpperCase()]));

describe('concurrent lookups', () => {
  it('share one query with distinct keys, and each gets its own value', async () => {
    const queries: string[][] = [];
    const load = createBatchLoader(async keys => {
      queries.push(keys);
      return upperCase(keys);
    });
    expect(await Promise.all(['a', 'b', 'none', 'a'].map(load))).toEqual(['A', 'B', undefined, 'A']);
    expect(queries).toEqual([['a', 'b', 'none']]);
  });

  it('all fail with their query; later ones do not', async () => {
    const errors = [new Error('unavailable')];
    const load = createBatchLoader(async keys => {
      const error = errors.pop();
      if (error) throw error;
      return upperCase(keys);
    });
    const results = await Promise.allSettled([load('a'), load('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await load('a')).toBe('A');
  });
});

describe('a lookup', () => {
  it('is never answered by a query that started before it', async () => {
    let stored = 'old';
    const first = gate();
    const load = createBatchLoader(async keys => {
      const found = new Map(keys.map(key => [key, stored]));
      await first.opened;
      return found;
    });
    const before = load('key');
    await nextTurn();
    stored = 'new';
    const after = load('key');
    first.open();
    expect(await Promise.all([before, after])).toEqual(['old', 'new']);
    stored = 'newer';
    expect(await load('key')).toBe('newer');
  });

  it('waits while two queries run, and joins the next one', async () => {
    const queries: string[][] = [];
    const gates = [gate(), gate(), gate()];
    const load = createBatchLoader(async keys => {
      queries.push(keys);
      await gates[queries.length - 1]?.opened;
      return upperCase(keys);
    });
    const answers: Promise<string | undefined>[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      answers.push(load(key));
      await nextTurn();
    }
    expect(queries).toEqual([['a'], ['b']]);
    for (const each of gates) each.open();
    expect(await Promise.all(answers)).toEqual(['A', 'B', 'C', 'D']);
    expect(queries).toEqual([['a'], ['b'], ['c', 'd']]);
  });
});
