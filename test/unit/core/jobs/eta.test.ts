import { describe, expect, it } from 'vitest';
import { openJobEta } from '../../../../core/jobs/eta.ts';
import type { TypicalTimes } from '../../../../core/jobs/repository/estimates.ts';

const typical = (totalSeconds: number): TypicalTimes => ({ jobs: 50, waitSeconds: 0, runSeconds: 0, totalSeconds });
const etaWith = (times: TypicalTimes | undefined) => openJobEta({ typicalTimes: async () => times });
const acceptedAgo = (seconds: number) => ({ kind: 'pdf', createdAt: new Date(Date.now() - seconds * 1_000) });

describe('Retry-After', () => {
  it.each([
    ['is the typical total time for a job just accepted', 12, 0, 12],
    ['subtracts the time since acceptance', 12, 5, 7],
    ['is at least one second', 0.2, 0, 1],
    ['is at most one minute', 3_600, 0, 60],
    ['grows again for a job that takes longer than usual', 2, 100, 10],
  ])('%s', async (_, total, ago, expected) => {
    const seconds = await etaWith(typical(total)).retryAfterSeconds(acceptedAgo(ago));
    expect(seconds).toBeGreaterThanOrEqual(expected);
    expect(seconds).toBeLessThanOrEqual(expected + 1);
  });

  it('is two seconds for a kind without ended jobs', async () =>
    expect(await etaWith(undefined).retryAfterSeconds(acceptedAgo(0))).toBe(2));

  it('queries the database once for many answers about one kind', async () => {
    const queries: string[] = [];
    const eta = openJobEta({
      typicalTimes: async kind => {
        queries.push(kind);
        return typical(3);
      },
    });
    await Promise.all([1, 2, 3].map(() => eta.retryAfterSeconds(acceptedAgo(0))));
    await eta.typical('leads');
    expect(queries).toEqual(['pdf', 'leads']);
  });

  it('does not cache a failed query', async () => {
    let calls = 0;
    const eta = openJobEta({
      typicalTimes: async () => {
        calls += 1;
        if (calls === 1) throw new Error('the database is unavailable');
        return typical(3);
      },
    });
    await expect(eta.typical('pdf')).rejects.toThrow('unavailable');
    expect(await eta.typical('pdf')).toEqual(typical(3));
  });
});
