/** Schedules declared in contracts: found under their names, and refused with a reason when they cannot be followed. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type JobContract, type ScheduleContract } from '../../../../core/jobs/contract.ts';
import { discoverContracts } from '../../../../core/jobs/discover.ts';
import { knownOf, schedulesOf } from '../../../../core/schedules/schedule.ts';

const hourly: ScheduleContract<{ full?: boolean }> = {
  name: 'deals-acquisition',
  summary: 'Fetches the deals every hour.',
  cron: '0 * * * *',
  missed: 'latest',
  payload: {},
};

const jobWith = (...schedules: ScheduleContract<{ full?: boolean }>[]): JobContract =>
  defineJob({
    kind: 'acquisition',
    summary: 'Fetches.',
    payload: z.object({ full: z.boolean({ error: 'must be true or false' }).optional() }),
    result: z.object({}),
    attempts: 1,
    backoffMs: 1,
    timeoutMs: 1,
    concurrency: 1,
    schedules,
  });
const gather = (...schedules: ScheduleContract<{ full?: boolean }>[]) =>
  schedulesOf(new Map([['acquisition', jobWith(...schedules)]]));

it('a schedule is found under its name, on the clocks of Dubai', () => {
  const schedule = gather(hourly).get('deals-acquisition');
  expect(schedule).toMatchObject({ ...hourly, timeZone: 'Asia/Dubai', job: { kind: 'acquisition' } });
  expect(schedule && knownOf(schedule)).toEqual({
    name: 'deals-acquisition',
    timing: '0 * * * * Asia/Dubai',
  });
});

it('those of the service itself can all be followed', async () => {
  for (const { summary } of schedulesOf(await discoverContracts()).values()) expect(summary).toMatch(/\.$/);
});

describe('a schedule is refused', () => {
  const other = { ...hourly, name: 'another' };
  it.each<[string, ScheduleContract<{ full?: boolean }>, string]>([
    ['with a name that is taken', hourly, 'its name is taken'],
    ['with a name no address can have', { ...other, name: 'Every Hour' }, 'small letters'],
    ['with a nickname for an expression', { ...other, cron: '@hourly' }, '5 or 6 fields'],
    ['with too few fields', { ...other, cron: '0 * *' }, '5 or 6 fields'],
    ['with what only one library reads', { ...other, cron: '0 0 L * *' }, '5 or 6 fields'],
    ['with a minute that no hour has', { ...other, cron: '61 * * * *' }, 'refused'],
    ['with a range that runs backwards', { ...other, cron: '0 22-2 * * *' }, 'refused'],
    ['with a day that no month has', { ...other, cron: '0 0 30 2 *' }, 'refused'],
    ['with days of both month and week', { ...other, cron: '0 0 15 * 1' }, 'read in two ways'],
    ['with a time zone that is none', { ...other, timeZone: 'Mars/Olympus' }, 'no time zone Mars/Olympus'],
  ])('%s', (_, schedule, reason) => {
    expect(() => gather(hourly, schedule)).toThrow(
      new RegExp(`schedule ${schedule.name} of the kind acquisition cannot be followed: .*${reason}`),
    );
  });

  it('with a payload that the job does not take', () => {
    const wrong = jobWith({ ...other, payload: JSON.parse('{"full":"yes"}') });
    expect(() => schedulesOf(new Map([['acquisition', wrong]]))).toThrow('must be true or false');
  });
});
