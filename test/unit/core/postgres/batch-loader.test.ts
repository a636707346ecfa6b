import { describe, expect, it } from 'vitest';
import { createBatchLoader } from '../../../../core/postgres/batch-loader.ts';
import { gate } from '../../../support/gate.ts';

const turn = () => new Promise(resolve => setImmediate(resolve));
const upperCase = (keys: string[]) =>
  new Map(keys.filter(key => key !== 'none').map(key => [key, key.toUpperCase()]));

describe('lookups that are asked for together', () => {
  it('are one query, each answered with its own, each key asked once', async () => {
    const queries: string[][] = [];
    const look = createBatchLoader(async keys => {
      queries.push(keys);
      return upperCase(keys);
    });
    expect(await Promise.all(['a', 'b', 'none', 'a'].map(look))).toEqual(['A', 'B', undefined, 'A']);
    expect(queries).toEqual([['a', 'b', 'none']]);
  });

  it('all fail with the query, and the next ones do not', async () => {
    const faults = [new Error('away')];
    const look = createBatchLoader(async keys => {
      const fault = faults.pop();
      if (fault) throw fault;
      return upperCase(keys);
    });
    const results = await Promise.allSettled([look('a'), look('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await look('a')).toBe('A');
  });
});

describe('a lookup', () => {
  it('is never answered by a query that began before it was asked for', async () => {
    let stored = 'old';
    const first = gate();
    const look = createBatchLoader(async keys => {
      const found = new Map(keys.map(key => [key, stored]));
      await first.opened;
      return found;
    });
    const before = look('key');
    await turn();
    stored = 'new';
    const after = look('key');
    first.open();
    expect(await Promise.all([before, after])).toEqual(['old', 'new']);
    stored = 'newer';
    expect(await look('key')).toBe('newer');
  });

  it('waits while two queries are under way, and goes with the next', async () => {
    const queries: string[][] = [];
    const gates = [gate(), gate(), gate()];
    const look = createBatchLoader(async keys => {
      queries.push(keys);
      await gates[queries.length - 1]?.opened;
      return upperCase(keys);
    });
    const answers: Promise<string | undefined>[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      answers.push(look(key));
      await turn();
    }
    expect(queries).toEqual([['a'], ['b']]);
    for (const each of gates) each.open();
    expect(await Promise.all(answers)).toEqual(['A', 'B', 'C', 'D']);
    expect(queries).toEqual([['a'], ['b'], ['c', 'd']]);
  });
});
