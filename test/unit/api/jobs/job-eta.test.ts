import { describe, expect, it } from 'vitest';
import { openJobTimes } from '../../../../api/jobs/job-eta.ts';
import type { TypicalTimes } from '../../../../core/jobs/repository/estimates.ts';

const typical = (totalSeconds: number): TypicalTimes => ({
  jobs: 50,
  waitSeconds: 0,
  runSeconds: 0,
  totalSeconds,
});
const timesOf = (times: TypicalTimes | undefined) => openJobTimes({ typicalTimes: async () => times });
const acceptedAgo = (seconds: number) => ({ kind: 'pdf', createdAt: new Date(Date.now() - seconds * 1_000) });

describe('Retry-After', () => {
  it.each([
    ['is what such a job takes, when it was just accepted', 12, 0, 12],
    ['counts what the job has been under way', 12, 5, 7],
    ['is a second at least', 0.2, 0, 1],
    ['is a minute at most', 3_600, 0, 60],
    ['grows again for a job that takes longer than others', 2, 100, 10],
  ])('%s', async (_, total, ago, expected) => {
    const seconds = await timesOf(typical(total)).retryAfterSeconds(acceptedAgo(ago));
    expect(seconds).toBeGreaterThanOrEqual(expected);
    expect(seconds).toBeLessThanOrEqual(expected + 1);
  });

  it('is two seconds for a kind of which nothing is known', async () => {
    expect(await timesOf(undefined).retryAfterSeconds(acceptedAgo(0))).toBe(2);
  });

  it('asks the database once for many answers about one kind', async () => {
    const asked: string[] = [];
    const times = openJobTimes({
      typicalTimes: async kind => {
        asked.push(kind);
        return typical(3);
      },
    });
    await Promise.all([1, 2, 3].map(() => times.retryAfterSeconds(acceptedAgo(0))));
    await times.typical('leads');
    expect(asked).toEqual(['pdf', 'leads']);
  });

  it('keeps no failure: whoever asks next asks the database again', async () => {
    let calls = 0;
    const times = openJobTimes({
      typicalTimes: async () => {
        calls += 1;
        if (calls === 1) throw new Error('the database is away');
        return typical(3);
      },
    });
    await expect(times.typical('pdf')).rejects.toThrow('away');
    expect(await times.typical('pdf')).toEqual(typical(3));
  });
});
