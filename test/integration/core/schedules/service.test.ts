/** What a scheduler does about due times that have come, on a clock that the test sets. */
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepJobs } from '../../../../core/jobs/reconciler.ts';
import type { Fire } from '../../../../core/schedules/run.ts';
import { knownOf } from '../../../../core/schedules/schedule.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { gate } from '../../../support/gate.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, trialOperations } from '../../../support/trial-jobs.ts';
import { hourlyContracts } from '../../../support/trial-schedules.ts';

const hour = (n: number): Date => new Date(Date.UTC(2026, 0, 31, n));
const operator = { kind: 'client', name: 'an-operator' } as const;

let service: TestService;
let client: ApiClient;
const trials = openTrials();

beforeAll(async () => {
  service = await startTestService('schedule-desk', {
    operations: trialOperations,
    contracts: hourlyContracts,
  });
  client = await service.client(['jobs:all', 'trial']);
  service.startWorker(trials.posts);
});
afterAll(() => service?.close());

/** All was settled at eight, and nothing has fired yet. */
beforeEach(async () => {
  await service.fires.know([...service.schedules.values()].map(knownOf));
  await service.database.execute(sql`delete from schedule_fire`);
  await service.database.execute(
    sql`update schedule set due_since = ${hour(8).toISOString()}, paused_at = null`,
  );
});

const schedule = (policy: string) => {
  const found = service.schedules.get(`hourly-${policy}`);
  if (!found) throw new Error(`there is no schedule of the policy ${policy}`);
  return found;
};
/** A look of a scheduler at this time. */
const look = async (policy: string, now: Date): Promise<void> => {
  const state = (await service.fires.states()).get(`hourly-${policy}`);
  if (state) await service.scheduleDesk.settleDue(schedule(policy), state, now);
};
const ledger = async (policy: string): Promise<Fire[]> =>
  (await service.fires.history(`hourly-${policy}`, 50)).toReversed();
const outcomes = async (policy: string) =>
  (await ledger(policy)).map(({ dueAt, outcome }) => `${dueAt.getUTCHours()}: ${outcome}`);
const jobsEnd = async (policy: string) => {
  for (const { jobId } of await ledger(policy)) if (jobId !== null) await client.jobWhen(jobId);
};

it('a due time makes one job, that belongs to the scheduler and has the schedule’s payload', async () => {
  await look('latest', hour(9));
  await jobsEnd('latest');
  await look('latest', hour(9));
  const [fire, ...more] = await ledger('latest');
  expect(more).toEqual([]);
  expect(fire).toMatchObject({ dueAt: hour(9), outcome: 'fired', manual: false, by: 'scheduler' });
  expect(await service.records.find(fire?.jobId ?? '')).toMatchObject({
    kind: 'solo',
    clientId: 'scheduler',
    payload: { name: 'hourly-latest' },
    state: 'succeeded',
  });
});

it('before a due time nothing happens', async () => {
  await look('latest', new Date(hour(9).getTime() - 1));
  expect(await ledger('latest')).toEqual([]);
});

describe('after three due times without a scheduler', () => {
  const halfPastEleven = new Date(hour(11).getTime() + 30 * 60_000);

  it('the policy latest makes up for the newest', async () => {
    await look('latest', halfPastEleven);
    expect(await outcomes('latest')).toEqual(['9: missed-skipped', '10: missed-skipped', '11: missed-fired']);
    await jobsEnd('latest');
  });

  it('the policy skip makes up for none', async () => {
    await look('skip', halfPastEleven);
    expect(await outcomes('skip')).toEqual(['9: missed-skipped', '10: missed-skipped', '11: missed-skipped']);
  });

  it('the policy all makes up for each, the next one when the one before has ended', async () => {
    const finish = gate();
    trials.when('hourly-all', () => finish.opened.then(() => 'done'));
    await look('all', halfPastEleven);
    await look('all', halfPastEleven);
    expect(await outcomes('all')).toEqual(['9: missed-fired']);
    finish.open();
    await jobsEnd('all');
    await look('all', halfPastEleven);
    await jobsEnd('all');
    await look('all', halfPastEleven);
    await jobsEnd('all');
    await look('all', halfPastEleven);
    expect(await outcomes('all')).toEqual(['9: missed-fired', '10: missed-fired', '11: missed-fired']);
    expect(new Set((await ledger('all')).map(({ jobId }) => jobId)).size).toBe(3);
  });
});

it('a due time while its job is still at work is skipped, and says by which job', async () => {
  const finish = gate();
  trials.when('hourly-latest', () => finish.opened.then(() => 'done'));
  await look('latest', hour(9));
  await look('latest', hour(10));
  const [first, second] = await ledger('latest');
  expect(second).toMatchObject({ dueAt: hour(10), outcome: 'skipped-overlap', jobId: first?.jobId });
  finish.open();
  await jobsEnd('latest');
  await look('latest', hour(11));
  expect(await outcomes('latest')).toEqual(['9: fired', '10: skipped-overlap', '11: fired']);
  await jobsEnd('latest');
});

it('a due time while a client’s job does the same work is skipped too', async () => {
  const finish = gate();
  trials.when('hourly-latest', () => finish.opened.then(() => 'done'));
  const { id } = await client.askJob('POST', '/trials/solo', { body: { name: 'hourly-latest' } });
  await look('latest', hour(9));
  expect(await ledger('latest')).toMatchObject([{ outcome: 'skipped-overlap', jobId: id }]);
  finish.open();
  await client.jobWhen(id);
});

it('while it is paused due times are skipped, and when it is resumed none of them is made up for', async () => {
  const known = knownOf(schedule('latest'));
  await service.fires.setPaused(known, true, operator);
  await look('latest', hour(9));
  await look('latest', hour(10));
  await service.fires.setPaused(known, false, operator);
  await look('latest', new Date());
  expect(await outcomes('latest')).toEqual(['9: skipped-paused', '10: skipped-paused']);
});

it('a schedule that is new, or fires at other times than before, has missed nothing', async () => {
  await service.database.execute(sql`delete from schedule`);
  await service.fires.know([...service.schedules.values()].map(knownOf));
  await look('all', new Date());
  expect(await ledger('all')).toEqual([]);

  await service.database.execute(
    sql`update schedule set timing = '0 0 * * * UTC', due_since = ${hour(8).toISOString()}`,
  );
  await service.fires.know([...service.schedules.values()].map(knownOf));
  await look('all', new Date());
  expect(await ledger('all')).toEqual([]);
});

it('twenty schedulers at once make one job of a due time', async () => {
  await Promise.all(Array.from({ length: 20 }, () => look('latest', hour(9))));
  expect(await outcomes('latest')).toEqual(['9: fired']);
  await jobsEnd('latest');
});

describe('a scheduler that dies', () => {
  it('between taking a due time and making its job leaves it to another', async () => {
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
    const other = look('latest', hour(9));
    const waiting = sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`;
    await expect.poll(async () => (await service.database.execute(waiting)).rows[0]?.n).toBe(1);
    await service.database.execute(sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`);
    await other;
    expect(await ledger('latest')).toMatchObject([{ outcome: 'fired', jobId: expect.any(String) }]);
    await jobsEnd('latest');
  });

  it('between making the job and telling the queue leaves it to the sweeper', async () => {
    const id = 'solo_01a1fc9f-0000-7000-8000-00000000000a';
    const job = { id, kind: 'solo', clientId: 'scheduler', payload: { name: 'untold' }, attemptsMax: 3 };
    await service.fires.settle({ schedule: 'hourly-latest', dueAt: hour(9), outcome: 'fired', job });
    await service.database.execute(
      sql`update job set touched_at = now() - interval '1 minute' where id = ${id}`,
    );
    await sweepJobs(hourlyContracts, service);
    expect(await client.jobWhen(id)).toMatchObject({ state: 'succeeded' });
  });
});
