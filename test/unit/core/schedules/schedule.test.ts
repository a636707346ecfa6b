/** Schedules declared in job contracts, and the errors for invalid ones. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { discoverSystems } from '../../../../core/integrations/kit/define-system.ts';
import { defineJob, type JobContract, type ScheduleContract } from '../../../../core/jobs/contract.ts';
import { discoverContracts } from '../../../../core/jobs/discover.ts';
import { offReasonOf } from '../../../../core/schedules/config.ts';
import { registrationOf, requireValidSchedules, schedulesOf } from '../../../../core/schedules/schedule.ts';

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
const schedulesWith = (...schedules: ScheduleContract<{ full?: boolean }>[]) =>
  schedulesOf(new Map([['acquisition', jobWith(...schedules)]]));
const requireValid = (...schedules: ScheduleContract<{ full?: boolean }>[]) =>
  requireValidSchedules(schedulesWith(...schedules).values());

it('finds a schedule by its name, in the time zone Asia/Dubai by default', () => {
  const schedule = schedulesWith(hourly).get('deals-acquisition');
  expect(schedule).toMatchObject({ ...hourly, timeZone: 'Asia/Dubai', job: { kind: 'acquisition' } });
  expect(schedule && registrationOf(schedule)).toEqual({ name: 'deals-acquisition', timing: '0 * * * * Asia/Dubai' });
});

it('accepts all schedules of the service', async () => {
  const schedules = [...schedulesOf(await discoverContracts()).values()];
  expect(() => requireValidSchedules(schedules)).not.toThrow();
  for (const { summary } of schedules) expect(summary).toMatch(/\.$/);
});

describe('a schedule that needs outside systems', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('names the variables that configure them', async () => {
    const variables = (await discoverSystems()).map(({ configuredBy }) => configuredBy);
    const schedules = [...schedulesOf(await discoverContracts()).values()];
    for (const { systems = [] } of schedules) for (const variable of systems) expect(variables).toContain(variable);
    const independent = schedules.filter(({ systems }) => systems === undefined).map(({ name }) => name);
    expect(independent).toEqual(['maintenance']);
  });

  it('is off in production while one of them is not configured', () => {
    const schedule = { name: 'event-orders', systems: ['EVENTS_URL', 'CRM_URL'] };
    vi.stubEnv('CRM_URL', 'https://crm.example');
    expect(offReasonOf(schedule, { NODE_ENV: 'production' })).toBe('not configured');
    expect(offReasonOf(schedule, { NODE_ENV: 'development' })).toBeUndefined();
    vi.stubEnv('EVENTS_URL', 'https://events.example');
    expect(offReasonOf(schedule, { NODE_ENV: 'production' })).toBeUndefined();
    expect(offReasonOf(schedule, { NODE_ENV: 'production', SCHEDULES_OFF: ['all'] })).toBe('SCHEDULES_OFF');
  });
});

describe('rejects a schedule', () => {
  const other = { ...hourly, name: 'another' };
  it.each<[string, ScheduleContract<{ full?: boolean }>, string]>([
    ['with a name that is taken', hourly, 'another schedule has this name'],
    ['with a name that no URL path can contain', { ...other, name: 'Every Hour' }, 'lower-case letters'],
    ['with a nickname such as @hourly', { ...other, cron: '@hourly' }, '5 or 6 fields'],
    ['with too few fields', { ...other, cron: '0 * *' }, '5 or 6 fields'],
    ['with syntax that only one library supports', { ...other, cron: '0 0 L * *' }, '5 or 6 fields'],
    ['with a minute over 59', { ...other, cron: '61 * * * *' }, 'rejects its cron expression'],
    ['with a range that runs backwards', { ...other, cron: '0 22-2 * * *' }, 'rejects its cron expression'],
    ['with a date that does not exist', { ...other, cron: '0 0 30 2 *' }, 'rejects its cron expression'],
    ['with both a day of the month and a day of the week', { ...other, cron: '0 0 15 * 1' }, 'which is ambiguous'],
    ['with an unknown time zone', { ...other, timeZone: 'Mars/Olympus' }, 'unknown time zone Mars/Olympus'],
  ])('%s', (_, schedule, reason) => {
    expect(() => requireValid(hourly, schedule)).toThrow(
      new RegExp(`schedule ${schedule.name} of the job kind acquisition is invalid: .*${reason}`),
    );
  });

  it('with a payload that does not match the job contract', () => {
    const payload = JSON.parse('{"full":"yes"}');
    expect(() => requireValid({ ...other, payload })).toThrow('must be true or false');
  });
});
