/** Schedules over HTTP: list, history, run now, pause, resume. */
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ScheduleResource } from '../../../../../api/operations/schedules/schedule-resource.ts';
import { JobResource } from '../../../../../core/jobs/resource.ts';
import { registrationOf } from '../../../../../core/schedules/schedule.ts';
import { gate } from '../../../../support/gate.ts';
import { backends, useClient, useService } from '../../../../support/test-service.ts';
import { openTrials, trialOperations } from '../../../../support/trial-jobs.ts';
import { hourlyContracts } from '../../../../support/trial-schedules.ts';

const List = z.object({ items: z.array(ScheduleResource), schedulers: z.int() });

describe.each(backends)('schedules, with queues on %s', backend => {
  const service = useService(`schedules-${backend}`, () => ({
    backend,
    operations: trialOperations,
    contracts: hourlyContracts,
    env: { SCHEDULES_OFF: 'hourly-skip' },
  }));
  const client = useClient(service, ['schedules:read', 'schedules:run', 'trial']);
  /** The list before the first run. */
  let untouched: z.output<typeof List>;
  const trials = openTrials();

  beforeAll(async () => {
    service.startWorker(trials.servedKinds);
    untouched = List.parse((await client.request('GET', '/schedules')).body);
  });

  const get = async (name: string) => ScheduleResource.parse((await client.request('GET', `/schedules/${name}`)).body);
  const post = (name: string, verb: string, as = client) => as.request('POST', `/schedules/${name}/${verb}`);
  const auditEntries = async (name: string) =>
    (
      await service.database.execute(
        sql`select action, actor, after from audit_entry where target = ${`/schedules/${name}`} order by id`,
      )
    ).rows;

  it('are listed with their timing and the number of live schedulers', () => {
    const { items, schedulers } = untouched;
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
    // Disabled by SCHEDULES_OFF.
    expect(items[2]).toMatchObject({ off: true, offReason: 'SCHEDULES_OFF', nextRunAt: null });
  });

  it('show their last run and earlier runs', async () => {
    const schedule = service.schedules.get('hourly-latest');
    if (!schedule) throw new Error('the schedule is not there');
    await service.scheduleRuns.register([registrationOf(schedule)]);
    const now = new Date();
    const hourAgo = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000 - 3_600_000);
    const state = { name: schedule.name, settledUntil: hourAgo, pausedAt: null, pausedBy: null };
    await service.scheduleService.runDue(schedule, state, now);
    await expect.poll(async () => (await get('hourly-latest')).lastFire?.jobState).toBe('succeeded');
    const { lastFire, links } = await get('hourly-latest');
    expect(lastFire).toMatchObject({ by: 'scheduler', manual: false, outcome: expect.stringMatching(/fired$/) });
    expect(links.lastJob).toBe(`/v2/jobs/${lastFire?.jobId}`);
    expect(await client.request('GET', '/schedules/hourly-latest')).toMatchObject({
      body: { fires: expect.arrayContaining([lastFire]) },
    });
    // A client with the scope to start this kind of job may read the schedule's job.
    expect(await client.job(lastFire?.jobId ?? '')).toMatchObject({ state: 'succeeded' });
  });

  it('run now with a job of the caller; the next due time does not change', async () => {
    trials.when('hourly-all', async () => 'run now');
    const { nextRunAt } = await get('hourly-all');
    const reply = await post('hourly-all', 'run');
    const job = JobResource.parse(reply.body);
    expect(reply.status).toBe(202);
    expect(reply.headers.get('location')).toBe(`/v2/jobs/${job.id}`);
    expect(await client.waitForJob(job.id)).toMatchObject({ result: { said: 'run now' } });
    expect((await service.records.find(job.id))?.clientId).toBe(client.clientId);
    expect(await get('hourly-all')).toMatchObject({
      nextRunAt,
      lastFire: { jobId: job.id, outcome: 'fired', manual: true, by: client.clientId, jobState: 'succeeded' },
    });
    expect((await auditEntries('hourly-all')).at(-1)).toEqual({
      action: 'schedules.run',
      actor: client.clientId,
      after: { outcome: 'fired', jobId: job.id },
    });
  });

  it('answer run now with the existing job while it has not ended', async () => {
    const finish = gate();
    trials.when('hourly-all', () => finish.opened.then(() => 'done'));
    const first = JobResource.parse((await post('hourly-all', 'run')).body);
    const second = await post('hourly-all', 'run');
    expect(second.headers.get('portal-existing-job')).toBe('true');
    expect(second).toMatchObject({ status: 202, body: { id: first.id } });
    finish.open();
    await client.waitForJob(first.id);
  });

  it('are paused and resumed; the actor is shown and recorded once', async () => {
    const before = (await auditEntries('hourly-all')).length;
    const paused = await post('hourly-all', 'pause');
    expect(paused).toMatchObject({ status: 200, body: { paused: true, pausedBy: client.clientId, nextRunAt: null } });
    await post('hourly-all', 'pause');
    expect(await get('hourly-all')).toMatchObject({ paused: true });
    // A manual run is still possible.
    const { id } = JobResource.parse((await post('hourly-all', 'run')).body);
    await client.waitForJob(id);
    const resumed = await post('hourly-all', 'resume');
    expect(resumed).toMatchObject({ status: 200, body: { paused: false, pausedBy: null } });
    expect((await auditEntries('hourly-all')).slice(before).map(({ action, after }) => ({ action, after }))).toEqual([
      { action: 'schedules.pause', after: { paused: true } },
      { action: 'schedules.run', after: { outcome: 'fired', jobId: id } },
      { action: 'schedules.resume', after: { paused: false } },
    ]);
  });

  it('return 404 for an unknown name', async () => {
    expect(await client.request('GET', '/schedules/nightly')).toMatchObject({ status: 404 });
    expect(await post('nightly', 'run')).toMatchObject({ status: 404 });
  });
});
