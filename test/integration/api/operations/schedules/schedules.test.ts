/** Schedules over HTTP: what they are and did, running one now, pausing and resuming it. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ScheduleResource } from '../../../../../api/operations/schedules/schedule-resource.ts';
import { JobResource } from '../../../../../core/jobs/resource.ts';
import { knownOf } from '../../../../../core/schedules/schedule.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { gate } from '../../../../support/gate.ts';
import { backends, startTestService, type TestService } from '../../../../support/test-service.ts';
import { openTrials, trialOperations } from '../../../../support/trial-jobs.ts';
import { hourlyContracts } from '../../../../support/trial-schedules.ts';

const List = z.object({ items: z.array(ScheduleResource), schedulers: z.int() });

describe.each(backends)('schedules, with queues on %s', backend => {
  let service: TestService;
  let client: ApiClient;
  const trials = openTrials();

  beforeAll(async () => {
    service = await startTestService(`schedules-${backend}`, {
      backend,
      operations: trialOperations,
      contracts: hourlyContracts,
      env: { SCHEDULES_OFF: 'hourly-skip' },
    });
    client = await service.client(['schedules:read', 'schedules:run', 'trial']);
    service.startWorker(trials.posts);
  });
  afterAll(() => service?.close());

  const get = async (name: string) =>
    ScheduleResource.parse((await client.ask('GET', `/schedules/${name}`)).body);
  const post = (name: string, verb: string, as = client) => as.ask('POST', `/schedules/${name}/${verb}`);
  const acts = async (name: string) =>
    (
      await service.database.execute(
        sql`select action, actor, after from audit_entry where target = ${`/schedules/${name}`} order by id`,
      )
    ).rows;

  it('are listed with when they fire, and that no scheduler is alive', async () => {
    const { items, schedulers } = List.parse((await client.ask('GET', '/schedules')).body);
    expect(schedulers).toBe(0);
    expect(items.map(({ name }) => name)).toEqual(['hourly-latest', 'hourly-all', 'hourly-skip']);
    expect(items[0]).toMatchObject({
      kind: 'solo',
      expression: '0 * * * *',
      timeZone: 'Asia/Dubai',
      missed: 'latest',
      paused: false,
      off: false,
      lastFire: null,
    });
    const next = new Date(items[0]?.nextRunAt ?? '');
    expect(next.getTime() - Date.now()).toBeGreaterThan(0);
    expect(next.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect(next.toISOString()).toMatch(/:00:00.000Z$/);
    // The configuration keeps this one from firing.
    expect(items[2]).toMatchObject({ off: true, nextRunAt: null });
  });

  it('show what came of the last time, and what came of those before', async () => {
    const schedule = service.schedules.get('hourly-latest');
    if (!schedule) throw new Error('the schedule is not there');
    await service.fires.know([knownOf(schedule)]);
    const now = new Date();
    const hourAgo = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000 - 3_600_000);
    const state = { name: schedule.name, settledUntil: hourAgo, pausedAt: null, pausedBy: null };
    await service.scheduleDesk.settleDue(schedule, state, now);
    await expect.poll(async () => (await get('hourly-latest')).lastFire?.jobState).toBe('succeeded');
    const { lastFire, links } = await get('hourly-latest');
    expect(lastFire).toMatchObject({
      by: 'scheduler',
      manual: false,
      outcome: expect.stringMatching(/fired$/),
    });
    expect(links.lastJob).toBe(`/v2/jobs/${lastFire?.jobId}`);
    expect(await client.ask('GET', '/schedules/hourly-latest')).toMatchObject({
      body: { fires: [lastFire] },
    });
    // Who may start such a job may see the schedule’s.
    expect(await client.job(lastFire?.jobId ?? '')).toMatchObject({ state: 'succeeded' });
  });

  it('are run now: the job is the caller’s own, and the next due time stays', async () => {
    const { nextRunAt } = await get('hourly-all');
    const reply = await post('hourly-all', 'run');
    const job = JobResource.parse(reply.body);
    expect(reply.status).toBe(202);
    expect(reply.headers.get('location')).toBe(`/v2/jobs/${job.id}`);
    expect(await client.jobWhen(job.id)).toMatchObject({ result: { said: 'hourly-all' } });
    expect((await service.records.find(job.id))?.clientId).toBe(client.clientId);
    expect(await get('hourly-all')).toMatchObject({
      nextRunAt,
      lastFire: { jobId: job.id, outcome: 'fired', manual: true, by: client.clientId, jobState: 'succeeded' },
    });
    expect(await acts('hourly-all')).toEqual([
      { action: 'schedules.run', actor: client.clientId, after: { outcome: 'fired', jobId: job.id } },
    ]);
  });

  it('run now while they are at work are answered with the job that is on', async () => {
    const finish = gate();
    trials.when('hourly-all', () => finish.opened.then(() => 'done'));
    const first = JobResource.parse((await post('hourly-all', 'run')).body);
    const second = await post('hourly-all', 'run');
    expect(second.headers.get('portal-existing-job')).toBe('true');
    expect(second).toMatchObject({ status: 202, body: { id: first.id } });
    finish.open();
    await client.jobWhen(first.id);
  });

  it('are paused and resumed, by whom is told and written down once', async () => {
    const paused = await post('hourly-latest', 'pause');
    expect(paused).toMatchObject({
      status: 200,
      body: { paused: true, pausedBy: client.clientId, nextRunAt: null },
    });
    await post('hourly-latest', 'pause');
    expect(await get('hourly-latest')).toMatchObject({ paused: true });
    // By hand it still runs.
    const { id } = JobResource.parse((await post('hourly-latest', 'run')).body);
    await client.jobWhen(id);
    const resumed = await post('hourly-latest', 'resume');
    expect(resumed).toMatchObject({ status: 200, body: { paused: false, pausedBy: null } });
    expect((await acts('hourly-latest')).map(({ action, after }) => ({ action, after }))).toEqual([
      { action: 'schedules.pause', after: { paused: true } },
      { action: 'schedules.run', after: { outcome: 'fired', jobId: id } },
      { action: 'schedules.resume', after: { paused: false } },
    ]);
  });

  it('that are not there are answered with 404, and steering them takes its own scope', async () => {
    expect(await client.ask('GET', '/schedules/nightly')).toMatchObject({ status: 404 });
    expect(await post('nightly', 'run')).toMatchObject({ status: 404 });
    const reader = await service.client(['schedules:read']);
    for (const verb of ['run', 'pause', 'resume']) {
      expect(await post('hourly-latest', verb, reader)).toMatchObject({ status: 403 });
    }
  });
});
