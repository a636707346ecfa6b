/** Runs of schedules that are due, at times that the test sets. */
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reconcileJobs } from '../../../../core/jobs/reconciler.ts';
import type { ScheduleRun } from '../../../../core/schedules/runs.ts';
import { registrationOf } from '../../../../core/schedules/schedule.ts';
import { gate } from '../../../support/gate.ts';
import { useClient, useService } from '../../../support/test-service.ts';
import { openTrials, trialOperations } from '../../../support/trial-jobs.ts';
import { hourlyContracts } from '../../../support/trial-schedules.ts';

const hour = (n: number): Date => new Date(Date.UTC(2026, 0, 31, n));
const operator = { kind: 'client', name: 'an-operator' } as const;

const service = useService('schedule-service', () => ({ operations: trialOperations, contracts: hourlyContracts }));
const client = useClient(service, ['jobs:all', 'trial']);
const trials = openTrials();

beforeAll(async () => {
  service.startWorker(trials.servedKinds);
});

/** Every due time up to 08:00 is settled, and no schedule has run. */
beforeEach(async () => {
  await service.scheduleRuns.register([...service.schedules.values()].map(registrationOf));
  await service.database.execute(sql`delete from schedule_fire`);
  await service.database.execute(sql`update schedule set due_since = ${hour(8).toISOString()}, paused_at = null`);
});

const schedule = (policy: string) => {
  const found = service.schedules.get(`hourly-${policy}`);
  if (!found) throw new Error(`no schedule has the policy ${policy}`);
  return found;
};
const runDue = async (policy: string, now: Date): Promise<void> => {
  const state = (await service.scheduleRuns.states()).get(`hourly-${policy}`);
  if (state) await service.scheduleService.runDue(schedule(policy), state, now);
};
const runs = async (policy: string): Promise<ScheduleRun[]> =>
  (await service.scheduleRuns.history(`hourly-${policy}`, 50)).toReversed();
const outcomes = async (policy: string) =>
  (await runs(policy)).map(({ dueAt, outcome }) => `${dueAt.getUTCHours()}: ${outcome}`);
const jobsEnd = async (policy: string) => {
  for (const { jobId } of await runs(policy)) if (jobId !== null) await client.waitForJob(jobId);
};

it('starts one job per due time, owned by the scheduler, with the schedule’s payload', async () => {
  await runDue('latest', hour(9));
  await jobsEnd('latest');
  await runDue('latest', hour(9));
  const [run, ...more] = await runs('latest');
  expect(more).toEqual([]);
  expect(run).toMatchObject({ dueAt: hour(9), outcome: 'fired', manual: false, by: 'scheduler' });
  expect(await service.records.find(run?.jobId ?? '')).toMatchObject({
    kind: 'solo',
    clientId: 'scheduler',
    payload: { name: 'hourly-latest' },
    state: 'succeeded',
  });
});

it('records nothing before a due time', async () => {
  await runDue('latest', new Date(hour(9).getTime() - 1));
  expect(await runs('latest')).toEqual([]);
});

describe('after three due times without a scheduler', () => {
  const halfPastEleven = new Date(hour(11).getTime() + 30 * 60_000);

  it('catches up the newest with the policy latest', async () => {
    await runDue('latest', halfPastEleven);
    expect(await outcomes('latest')).toEqual(['9: missed-skipped', '10: missed-skipped', '11: missed-fired']);
    await jobsEnd('latest');
  });

  it('catches up none with the policy skip', async () => {
    await runDue('skip', halfPastEleven);
    expect(await outcomes('skip')).toEqual(['9: missed-skipped', '10: missed-skipped', '11: missed-skipped']);
  });

  it('catches up each with the policy all, one after the other', async () => {
    const finish = gate();
    trials.when('hourly-all', () => finish.opened.then(() => 'done'));
    await runDue('all', halfPastEleven);
    await runDue('all', halfPastEleven);
    expect(await outcomes('all')).toEqual(['9: missed-fired']);
    finish.open();
    await jobsEnd('all');
    await runDue('all', halfPastEleven);
    await jobsEnd('all');
    await runDue('all', halfPastEleven);
    await jobsEnd('all');
    await runDue('all', halfPastEleven);
    expect(await outcomes('all')).toEqual(['9: missed-fired', '10: missed-fired', '11: missed-fired']);
    expect(new Set((await runs('all')).map(({ jobId }) => jobId)).size).toBe(3);
  });
});

it('skips a due time while the previous job is open, and records that job', async () => {
  const finish = gate();
  trials.when('hourly-latest', () => finish.opened.then(() => 'done'));
  await runDue('latest', hour(9));
  await runDue('latest', hour(10));
  const [first, second] = await runs('latest');
  expect(second).toMatchObject({ dueAt: hour(10), outcome: 'skipped-overlap', jobId: first?.jobId });
  finish.open();
  await jobsEnd('latest');
  await runDue('latest', hour(11));
  expect(await outcomes('latest')).toEqual(['9: fired', '10: skipped-overlap', '11: fired']);
  await jobsEnd('latest');
});

it('skips a due time while a client’s job with the same exclusive key is open', async () => {
  const finish = gate();
  trials.when('hourly-latest', () => finish.opened.then(() => 'done'));
  const { id } = await client.requestJob('POST', '/trials/solo', { body: { name: 'hourly-latest' } });
  await runDue('latest', hour(9));
  expect(await runs('latest')).toMatchObject([{ outcome: 'skipped-overlap', jobId: id }]);
  finish.open();
  await client.waitForJob(id);
});

it('skips due times during a pause and does not catch them up afterwards', async () => {
  const registered = registrationOf(schedule('latest'));
  await service.scheduleRuns.setPaused(registered, true, operator);
  await runDue('latest', hour(9));
  await runDue('latest', hour(10));
  await service.scheduleRuns.setPaused(registered, false, operator);
  await runDue('latest', new Date());
  expect(await outcomes('latest')).toEqual(['9: skipped-paused', '10: skipped-paused']);
});

it('counts no missed runs for a schedule that is new or has a new timing', async () => {
  await service.database.execute(sql`delete from schedule`);
  await service.scheduleRuns.register([...service.schedules.values()].map(registrationOf));
  await runDue('all', new Date());
  expect(await runs('all')).toEqual([]);

  await service.database.execute(
    sql`update schedule set timing = '0 0 * * * UTC', due_since = ${hour(8).toISOString()}`,
  );
  await service.scheduleRuns.register([...service.schedules.values()].map(registrationOf));
  await runDue('all', new Date());
  expect(await runs('all')).toEqual([]);
});

it('starts one job per due time with twenty schedulers at once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => runDue('latest', hour(9))));
  expect(await outcomes('latest')).toEqual(['9: fired']);
  await jobsEnd('latest');
});

describe('after a scheduler died', () => {
  it('between recording the run and committing it, another scheduler starts the job', async () => {
    const dying = new pg.Client(service.databaseUrl);
    dying.on('error', () => undefined);
    await dying.connect();
    await dying.query('begin');
    await dying.query(`select pg_advisory_xact_lock(hashtextextended('schedule hourly-latest', 0))`);
    await dying.query(
      `insert into schedule_fire (schedule, due_at, outcome, by) values ('hourly-latest', $1, 'fired', 'scheduler')`,
      [hour(9).toISOString()],
    );
    const { rows } = await dying.query<{ pid: number }>('select pg_backend_pid() as pid');
    const other = runDue('latest', hour(9));
    const waiting = sql`select count(*)::int as n from pg_locks
      join pg_database on pg_database.oid = pg_locks.database and datname = current_database()
      where locktype = 'advisory' and not granted`;
    await expect.poll(async () => (await service.database.execute(waiting)).rows[0]?.n).toBe(1);
    await service.database.execute(sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`);
    await other;
    expect(await runs('latest')).toMatchObject([{ outcome: 'fired', jobId: expect.any(String) }]);
    await jobsEnd('latest');
  });

  it('between the commit and the queue, the reconciler enqueues the job', async () => {
    const id = 'solo_01a1fc9f-0000-7000-8000-00000000000a';
    const job = { id, kind: 'solo', clientId: 'scheduler', payload: { name: 'not enqueued' }, attemptsMax: 3 };
    await service.scheduleRuns.record({ schedule: 'hourly-latest', dueAt: hour(9), outcome: 'fired', job });
    await service.database.execute(sql`update job set touched_at = now() - interval '1 minute' where id = ${id}`);
    await reconcileJobs(hourlyContracts, service);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded' });
  });
});
