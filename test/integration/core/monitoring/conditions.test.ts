/** The conditions that a person must act on, from rows of jobs, schedules, callbacks, secrets and balances. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { smsBalanceTable } from '../../../../core/domain/telephony/schema.ts';
import { storeBalance } from '../../../../core/domain/telephony/sms-repository.ts';
import { type JobContract, newJobId } from '../../../../core/jobs/contract.ts';
import { createHeartbeats } from '../../../../core/jobs/repository/heartbeats.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { readConditions } from '../../../../core/monitoring/conditions.ts';
import { serviceMetricsText } from '../../../../core/monitoring/service-metrics.ts';
import { oauthClientTable, oauthSecretTable } from '../../../../core/oauth/schema.ts';
import { problemType } from '../../../../core/runtime/errors.ts';
import { schedulerHeartbeat, schedulesOf } from '../../../../core/schedules/schedule.ts';
import { scheduleFireTable, scheduleTable } from '../../../../core/schedules/schema.ts';
import { useTestDatabase } from '../../../support/test-database.ts';
import { trialJob } from '../../../support/trial-jobs.ts';

const logger = pino({ level: 'silent' });
const hourly: JobContract = {
  ...trialJob,
  schedules: [
    { name: 'hourly', summary: 'Every hour.', cron: '0 * * * *', missed: 'latest', payload: { name: 'one' } },
  ],
};
const contracts = new Map([[hourly.kind, hourly]]);
const schedules = [...schedulesOf(contracts).values()];
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

const { database } = await useTestDatabase('conditions');
beforeEach(() =>
  database.pool.query('truncate job, schedule_fire, schedule, worker_heartbeat, sms_balance, oauth_client cascade'),
);

const read = () => readConditions({ database, contracts, schedules });
/** The values of the gauge's series. */
async function gauge(name: string): Promise<Record<string, number>> {
  const text = await serviceMetricsText({ database, contracts, schedules }, logger);
  const lines = text.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map(line => [/"(.*)"/.exec(line)?.[1] ?? '', Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

async function putJob(job: Partial<typeof jobTable.$inferInsert> = {}): Promise<string> {
  const id = newJobId(job.kind ?? 'trial');
  await database
    .insert(jobTable)
    .values({ id, kind: 'trial', clientId: 'portal', payload: {}, attemptsMax: 1, ...job });
  return id;
}
const failed = (status: number, title = 'The browser failed') =>
  putJob({ state: 'failed', finishedAt: ago(60), error: { type: 'x', title, status, detail: '' } });

describe('waiting jobs', () => {
  it('are counted with the longest wait, which begins again with a retry', async () => {
    const id = await putJob({ queuedAt: ago(1_000) });
    await putJob({ queuedAt: ago(5) });
    expect((await gauge('portal_job_oldest_waiting_seconds')).trial).toBeGreaterThanOrEqual(1_000);
    await database.pool.query("update job set state = 'failed' where id = $1", [id]);
    await database.pool.query("update job set state = 'queued' where id = $1", [id]);
    expect((await read()).openCounts).toMatchObject([{ kind: 'trial', queued: 2 }]);
    expect((await gauge('portal_job_oldest_waiting_seconds')).trial).toBeLessThan(900);
  });

  it('are counted beside the workers of their kind', async () => {
    await putJob();
    expect(await gauge('portal_workers')).toEqual({ trial: 0 });
    await createHeartbeats(database).write('one', new Map([['trial', 0]]));
    await createHeartbeats(database).write('two', new Map([[schedulerHeartbeat, 0]]));
    expect(await gauge('portal_workers')).toEqual({ trial: 1, scheduler: 1 });
  });
});

describe('failed jobs', () => {
  it('are counted for an hour, without those that failed because of their input', async () => {
    await putJob({ state: 'succeeded', finishedAt: ago(60) });
    await putJob({ state: 'failed', finishedAt: ago(4_000) });
    for (let count = 0; count < 3; count++) await failed(502);
    await failed(422, 'A photo is not available');
    expect(await gauge('portal_jobs_failed_last_hour')).toEqual({ trial: 3 });
    expect(await gauge('portal_jobs_ended_last_hour')).toEqual({ trial: 5 });
  });
});

describe('a missed schedule', () => {
  const register = (dueSince: Date, pausedAt: Date | null = null) =>
    database.insert(scheduleTable).values({ name: 'hourly', timing: 'x', dueSince, pausedAt });

  it('was due and did not run, unless it is paused', async () => {
    expect(await gauge('portal_schedule_missed')).toEqual({ hourly: 0 });
    await register(ago(7_300));
    const [missed, ...others] = (await read()).missedSchedules;
    expect([missed?.name, others]).toEqual(['hourly', []]);
    expect(missed?.dueAt.getMinutes()).toBe(0);
    expect(await gauge('portal_schedule_missed')).toEqual({ hourly: 1 });
    await database.update(scheduleTable).set({ pausedAt: new Date() });
    expect(await gauge('portal_schedule_missed')).toEqual({ hourly: 0 });
  });

  it('has a last run that was missed, unless a later run caught up on it', async () => {
    const dueAt = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    await register(ago(10));
    await database
      .insert(scheduleFireTable)
      .values({ schedule: 'hourly', dueAt, outcome: 'missed-skipped', by: 'scheduler' });
    expect((await read()).missedSchedules).toEqual([{ name: 'hourly', dueAt }]);
    await database.update(scheduleFireTable).set({ outcome: 'missed-fired' });
    expect(await gauge('portal_schedule_missed')).toEqual({ hourly: 0 });
  });
});

describe('a failed schedule', () => {
  it('is one whose last ended run failed', async () => {
    const addRun = async (hours: number, jobId: string) =>
      database
        .insert(scheduleFireTable)
        .values({ schedule: 'hourly', dueAt: ago(hours * 3_600), outcome: 'fired', by: 'scheduler', jobId });
    await addRun(3, await putJob({ state: 'succeeded', finishedAt: ago(9_000) }));
    expect(await gauge('portal_schedule_failed')).toEqual({ hourly: 0 });
    const id = await failed(502);
    await addRun(2, id);
    await addRun(1, await putJob({ state: 'running' }));
    expect((await read()).failedSchedules).toMatchObject([{ name: 'hourly', jobId: id, error: 'The browser failed' }]);
    expect(await gauge('portal_schedule_failed')).toEqual({ hourly: 1 });
    await addRun(0, await putJob({ state: 'succeeded', finishedAt: ago(1) }));
    expect(await gauge('portal_schedule_failed')).toEqual({ hourly: 0 });
  });
});

describe('an outside system that fails', () => {
  it('has jobs that wait because a call to it failed, not for its rate limit', async () => {
    const error = { detail: '', title: 'Waits', status: 503, type: problemType('waiting-for-system') };
    const call = { operation: 'GET /users', status: 500, at: new Date().toISOString() };
    await putJob({ state: 'scheduled', error });
    expect(await gauge('portal_jobs_waiting_for_system')).toEqual({});
    await putJob({ state: 'scheduled', error: { ...error, upstream: { system: 'directory', ...call } } });
    expect(await gauge('portal_jobs_waiting_for_system')).toEqual({ directory: 1 });
    await database.update(jobTable).set({ state: 'succeeded', error: null });
    expect(await gauge('portal_jobs_waiting_for_system')).toEqual({});
  });
});

describe('a full disk', () => {
  it('has jobs that wait for space', async () => {
    const error = { detail: '', title: 'Full', status: 503, type: problemType('storage-full') };
    await putJob({ state: 'scheduled', error });
    expect(await gauge('portal_jobs_waiting_for_space')).toEqual({ '': 1 });
  });
});

describe('callbacks that were given up', () => {
  it('are counted for 24 hours', async () => {
    const id = await putJob({ state: 'succeeded', finishedAt: ago(60) });
    await database.pool.query(
      "insert into job_callback (job_id, url, state) values ($1, 'https://portal.example/', 'failed')",
      [id],
    );
    expect(await gauge('portal_callbacks_given_up')).toEqual({ '': 0 });
    await database.pool.query("insert into job_event (job_id, type) values ($1, 'callback-tried')", [id]);
    expect(await gauge('portal_callbacks_given_up')).toEqual({ '': 1 });
  });
});

describe('the balance at the SMS gateway', () => {
  it('is the last one that could be read', async () => {
    expect(await gauge('portal_sms_balance')).toEqual({});
    await database.insert(smsBalanceTable).values({ askedAt: ago(60), amount: 64.5, currency: 'AED' });
    await storeBalance(database, undefined);
    expect(await gauge('portal_sms_balance')).toEqual({ '': 64.5 });
  });
});

describe('an expiring secret', () => {
  const addSecret = (secret: Partial<typeof oauthSecretTable.$inferInsert>) =>
    database.insert(oauthSecretTable).values({ clientId: 'portal', sha256: randomUUID(), ...secret });

  beforeEach(async () => {
    await database.insert(oauthClientTable).values({ clientId: 'portal', name: 'Portal', scopes: [] });
    await addSecret({ createdAt: ago(1_800) });
  });

  it('was replaced, expires within a day, and is still used', async () => {
    const expiresAt = ago(-3_600);
    await addSecret({ createdAt: ago(90_000), expiresAt, lastUsedAt: ago(60) });
    expect((await read()).expiringSecrets).toEqual([{ clientId: 'portal', name: 'Portal', expiresAt }]);
    expect(await gauge('portal_client_secrets_expiring')).toEqual({ '': 1 });
    await database.update(oauthClientTable).set({ isActive: false });
    expect(await gauge('portal_client_secrets_expiring')).toEqual({ '': 0 });
  });

  it('is not one that was last used before its replacement, that has expired, or that has time left', async () => {
    await addSecret({ expiresAt: ago(-3_600), lastUsedAt: ago(2_000) });
    await addSecret({ expiresAt: ago(60), lastUsedAt: ago(120) });
    await addSecret({ expiresAt: ago(-200_000), lastUsedAt: ago(60) });
    await addSecret({ expiresAt: ago(-3_600) });
    expect((await read()).expiringSecrets).toEqual([]);
  });
});
