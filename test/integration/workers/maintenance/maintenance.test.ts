/** Maintenance deletes data past its retention and nothing that is still needed; limited in time, idempotent, concurrent. */
import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createCallBudgets } from '../../../../core/integrations/kit/call-budget.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { schedulesOf } from '../../../../core/schedules/schedule.ts';
import { MaintenanceConfig } from '../../../../workers/maintenance/config.ts';
import contract from '../../../../workers/maintenance/contract.ts';
import handler, { runTasks } from '../../../../workers/maintenance/handler.ts';
import { discoverTasks, inBatches, type MaintenanceTask } from '../../../../workers/maintenance/task.ts';
import { deleteOldest, retention } from '../../../../workers/maintenance/tasks/retention.ts';
import { jobContext } from '../../../support/job-context.ts';
import { runMaintenanceTask } from '../../../support/maintenance.ts';
import { storedBefore } from '../../../support/stored-before.ts';
import { useService } from '../../../support/test-service.ts';

const service = useService('maintenance');
beforeEach(() => run('truncate job, job_input, schedule_fire cascade'));

const run = (statement: string, values: unknown[] = []) => service.database.pool.query(statement, values);
const idsOf = async (table: string, column = 'id'): Promise<string[]> =>
  (await run(`select ${column} as id from ${table} order by 1`)).rows.map(row => String(row.id));

const addJob = (id: string, state: string, finished: string | null, more: Record<string, unknown> = {}) => {
  const columns = {
    id,
    kind: 'pdf',
    client_id: 'client',
    state,
    payload: '{}',
    attempts_max: 1,
    finished_at: finished,
    ...more,
  };
  const names = Object.keys(columns);
  return run(
    `insert into job (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
    Object.values(columns),
  );
};
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

it('deletes jobs past their retention with their data and input, except those that are still needed', async () => {
  const input = async (sha: string) =>
    run(`insert into job_input (sha256, body, used_at) values ($1, '[]', $2)`, [sha, daysAgo(200)]);
  for (const sha of ['kept', 'lost']) await input(sha);
  await addJob('old', 'failed', daysAgo(91), { payload: '{"input":"lost"}' });
  await run(`insert into job_checkpoint (job_id, value) values ('old', '1')`);
  await run(`insert into schedule_fire (schedule, due_at, outcome, job_id, by)
    values ('nightly', now(), 'fired', 'old', 'scheduler')`);
  await addJob('recent', 'succeeded', daysAgo(89), { payload: '{"input":"kept"}' });
  await addJob('old, file not expired', 'succeeded', daysAgo(91), { result_file: '{"key":"pdf/a"}' });
  await addJob('old, report not expired', 'succeeded', daysAgo(91), { result_expires_at: daysAgo(-1) });
  await addJob('old, callback pending', 'succeeded', daysAgo(91));
  await run(`insert into job_callback (job_id, url, next_try_at)
    values ('old, callback pending', 'http://caller.example', now())`);
  for (const state of ['queued', 'scheduled', 'running', 'held'])
    await addJob(`old and ${state}`, state, null, { created_at: daysAgo(500) });

  expect(await runMaintenanceTask('jobs', service)).toMatchObject({ counts: { jobs: 1, inputs: 1 }, finished: true });
  expect(await idsOf('job')).toEqual([
    'old and held',
    'old and queued',
    'old and running',
    'old and scheduled',
    'old, callback pending',
    'old, file not expired',
    'old, report not expired',
    'recent',
  ]);
  expect(await idsOf('job_input', 'sha256')).toEqual(['kept']);
  expect(await idsOf('job_checkpoint', 'job_id')).toEqual([]);
  expect((await run('select job_id from schedule_fire')).rows).toEqual([{ job_id: null }]);
  expect(await runMaintenanceTask('jobs', service)).toMatchObject({ counts: { jobs: 0, inputs: 0 } });
});

it('cancels a held job that was not released, with the reason; its callback is sent and it can be retried', async () => {
  for (const [id, days] of [
    ['held long', 15],
    ['held lately', 13],
  ] as const) {
    await addJob(id, 'held', null);
    await run('insert into job_plan (job_id, plan, held_at) values ($1, $2, $3)', [id, '{}', daysAgo(days)]);
  }
  await run(`insert into job_callback (job_id, url) values ('held long', 'http://caller.example')`);
  expect(await runMaintenanceTask('held-jobs', service)).toMatchObject({ counts: { cancelled: 1 } });

  expect(await service.records.find('held long')).toMatchObject({
    state: 'cancelled',
    finishedAt: expect.any(Date),
    error: { type: expect.stringContaining('job-not-released'), instance: '/jobs/held long' },
    callback: { state: 'pending', nextTryAt: expect.any(String) },
  });
  expect(await service.records.find('held lately')).toMatchObject({ state: 'held' });
  expect(await service.records.requeue('held long')).toMatchObject({ state: 'queued' });
});

it('keeps effects within their retention, unsettled ones, and those of jobs that can be retried', async () => {
  const effect = (key: string, state: string, days: number, jobId: string | null = null) =>
    run(
      `insert into effect (key, kind, system, state, lease_id, leased_until, job_id, created_at, settled_at)
       values ($1, 'sms', 'sms-gateway', $2, gen_random_uuid(), now(), $3, $4, $5)`,
      [key, state, jobId, daysAgo(days), state === 'settled' ? daysAgo(days) : null],
    );
  await addJob('recent', 'succeeded', daysAgo(89));
  await effect('old', 'settled', 401);
  await effect('old, of a job long gone', 'settled', 401, 'gone');
  await effect('old, never known', 'unknown', 401);
  await effect('recent', 'settled', 399);
  await effect('old, still claimed', 'claimed', 401);
  await effect('old, its job is kept', 'settled', 401, 'recent');
  expect(await runMaintenanceTask('effects', service)).toMatchObject({ counts: { effects: 3 } });
  expect(await idsOf('effect', 'key')).toEqual(['old, its job is kept', 'old, still claimed', 'recent']);

  // An effect that was not deleted is not executed again.
  const again = { key: 'recent', kind: 'sms', system: 'sms-gateway' };
  await run(`update effect set result = '"sent"' where key = 'recent'`);
  const execute = () => Promise.reject(new Error('executed twice'));
  expect(await service.effects.once({ ...again, result: z.string(), execute })).toEqual({
    result: 'sent',
    repeated: true,
  });
});

it('keeps the newest run of each schedule, from which missed runs are counted', async () => {
  await run('delete from schedule_fire');
  const addRun = (schedule: string, days: number, manual = false) =>
    run(`insert into schedule_fire (schedule, due_at, outcome, manual, by, at) values ($1, $2, 'fired', $3, 'x', $2)`, [
      schedule,
      daysAgo(days),
      manual,
    ]);
  await addRun('yearly', 900);
  await addRun('yearly', 500);
  await addRun('yearly', 450, true);
  await addRun('hourly', 401);
  await addRun('hourly', 1);
  expect(await runMaintenanceTask('schedule-fires', service)).toMatchObject({ counts: { fires: 3 } });
  expect(await idsOf('schedule_fire', 'schedule')).toEqual(['hourly', 'yearly']);
  expect((await run(`select manual from schedule_fire where schedule = 'yearly'`)).rows).toEqual([{ manual: false }]);
});

it('keeps notifications that are not delivered', async () => {
  for (const [topic, state, days] of [
    ['waits', 'pending', 91],
    ['old', 'delivered', 91],
    ['recent', 'delivered', 89],
  ] as const)
    await run(
      `insert into notification (id, channel, topic, content, state, next_try_at, created_at)
        values (gen_random_uuid(), 'mail', $1, '{}', $2, $3, $3)`,
      [topic, state, daysAgo(days)],
    );
  expect(await runMaintenanceTask('notifications', service)).toMatchObject({ counts: { notifications: 1 } });
  expect(await idsOf('notification', 'topic')).toEqual(['recent', 'waits']);
});

it('keeps SMS and clicks for their configured retention', async () => {
  const age = (days: number) => [daysAgo(days)];
  for (const days of [1_100, 1_000]) {
    await run(
      `insert into sms_message (id, client_id, kind, sender, parts, contact, state, created_at)
        values ($1::text, 'c', 'service', 'PORTAL', 1, 'a hash', 'sent', $1::timestamptz)`,
      age(days),
    );
    await run(
      `insert into dnc_check (e164, checked_at, status, source, client_id)
        values ('+971500000000', $1, 'clear', 'registry', 'c')`,
      age(days),
    );
    await run(
      `insert into click (link_id, at, class, scanned) values (gen_random_uuid(), $1, 'human', false)`,
      age(days),
    );
  }
  expect(await runMaintenanceTask('telephony', service)).toMatchObject({ counts: { messages: 1, dncChecks: 1 } });
  expect(await runMaintenanceTask('clicks', service)).toMatchObject({ counts: {}, finished: true });
  expect(await runMaintenanceTask('clicks', service, { CLICK_RETENTION_DAYS: 1_050 })).toMatchObject({
    counts: { clicks: 1 },
  });
});

it('continues the search for stored files without a job where the run before stopped', async () => {
  const visited: (string | undefined)[] = [];
  const pages: Record<string, { keys: string[]; next: string | undefined }> = {
    '': { keys: [], next: 'page 2' },
    'page 2': { keys: ['gone'], next: undefined },
  };
  const results = {
    ...service.results,
    async storedBefore(_time: Date, after?: string) {
      visited.push(after);
      return pages[after ?? ''] ?? { keys: [], next: undefined };
    },
  };
  const task = (await discoverTasks()).find(({ name }) => name === 'orphaned-results');
  const config = { ...readConfig(MaintenanceConfig, {}), RESULT_RETENTION_HOURS: 168 };
  // The time of each run is over after its first page.
  const run = () => task?.run({ ...service, config, results }, { isOver: () => true });
  expect(await run()).toMatchObject({ counts: { files: 0 }, finished: false });
  expect(await run()).toMatchObject({ counts: { files: 1 }, finished: true });
  expect(await run()).toMatchObject({ finished: false });
  expect(await run()).toMatchObject({ finished: true });
  expect(visited).toEqual([undefined, 'page 2', undefined, 'page 2']);
});

it('deletes stored files without a job once no run may reuse them', async () => {
  const { results, dataFolder } = service;
  const put = async (key: string, days: number) => {
    await results.put(key, Buffer.from(key), { contentType: 'text/plain' });
    expect(await storedBefore(results, new Date(Date.now() + 60_000))).toContain(key);
    await age(dataFolder, key, days);
  };
  await put('pdf/aa/orphan.pdf', 10);
  await put('pdf/aa/orphan.json', 10);
  await put('pdf/aa/new-orphan.pdf', 7);
  await put('pdf/bb/kept.pdf', 10);
  await put('pdf/bb/kept.json', 10);
  await addJob('has a file', 'succeeded', daysAgo(1), {
    result_file: '{"key":"pdf/bb/kept.pdf","recordKey":"pdf/bb/kept.json"}',
  });
  const unfinished = path.join(dataFolder, 'results', 'unfinished', 'left');
  await mkdir(path.dirname(unfinished), { recursive: true });
  await writeFile(unfinished, 'half');
  await utimes(unfinished, new Date(daysAgo(2)), new Date(daysAgo(2)));

  expect(await runMaintenanceTask('orphaned-results', service)).toMatchObject({ counts: { files: 2, unfinished: 1 } });
  const left = await Promise.all(
    ['pdf/aa/orphan.pdf', 'pdf/aa/orphan.json', 'pdf/aa/new-orphan.pdf', 'pdf/bb/kept.pdf', 'pdf/bb/kept.json'].map(
      key => results.has(key),
    ),
  );
  expect(left).toEqual([false, false, true, true, true]);
});

it('deletes unused call budgets; the next use creates them again', async () => {
  const budgets = createCallBudgets(service.database);
  expect(await budgets.take({ name: 'crm', perSecond: 2 }, 10)).toBeUndefined();
  await run(`update call_budget set at = now() - interval '31 days'`);
  expect(await runMaintenanceTask('effects', service)).toMatchObject({ counts: { callBudgets: 1 } });
  expect(await budgets.take({ name: 'crm', perSecond: 2 }, 10)).toBeUndefined();
});

it('deletes a backlog in two processes at once, each row once', async () => {
  await run(`insert into idempotency_key (client_id, operation_id, key, fingerprint, claim_id, claimed_until, expires_at)
    select 'c', 'o', n::text, '', gen_random_uuid(), now(), now() - interval '1 minute' from generate_series(1, 4500) n`);
  const reports = await Promise.all([
    runMaintenanceTask('idempotency-keys', service),
    runMaintenanceTask('idempotency-keys', service),
  ]);
  expect(reports.reduce((sum, { counts }) => sum + (counts.keys ?? 0), 0)).toBe(4_500);
  expect(await service.database.$count(sql`idempotency_key`)).toBe(0);
});

it('runs by schedule and reports each task with its counts', async () => {
  const schedule = schedulesOf(new Map([[contract.kind, contract]])).get('maintenance');
  if (!schedule) throw new Error('the schedule does not exist');
  const open = await handler.open(handler.config.parse({}), service);
  const done = await open.handle(contract.payload.parse(schedule.payload), jobContext());
  const { tasks } = contract.result.parse('result' in done && done.result);
  expect(tasks.map(({ task }) => task)).toEqual([...tasks.map(({ task }) => task)].sort());
  expect(tasks).toEqual(
    expect.arrayContaining([
      { task: 'jobs', counts: { jobs: 0, progress: 0, inputs: 0 }, finished: true, ms: expect.any(Number) },
      { task: 'lost-jobs', counts: { putBackLastDay: 0 }, finished: true, ms: expect.any(Number) },
    ]),
  );
});

it('runs the other tasks when one fails, and fails with its name', async () => {
  const done: string[] = [];
  const task = (name: string, run: () => void): MaintenanceTask => ({
    name,
    run: async () => {
      run();
      done.push(name);
      return { counts: {}, finished: true };
    },
  });
  const breaks = () => {
    throw new Error('no more');
  };
  const tasks = [task('one', () => {}), task('two', breaks), task('three', () => {})];
  const context = { signal: new AbortController().signal, progress: () => {}, logger: service.logger };
  const config = { ...readConfig(MaintenanceConfig, {}), RESULT_RETENTION_HOURS: 1 };
  const taskContext = { ...service, config };
  await expect(runTasks(tasks, taskContext, context)).rejects.toThrow('These tasks failed: two;');
  expect(done).toEqual(['one', 'three']);

  const outage = new ServiceError('storage-unavailable', 'The store does not answer.');
  const meetsOutage = () => {
    throw outage;
  };
  const waiting = [task('four', meetsOutage), task('five', () => {})];
  await expect(runTasks(waiting, taskContext, context)).rejects.toBe(outage);
  expect(done).toEqual(['one', 'three', 'five']);
  await expect(runTasks([...tasks, ...waiting], taskContext, context)).rejects.toThrow('failed: two, four;');
});

it('stops a task whose time is over, and continues in the next run', async () => {
  await run(`insert into oauth_client (client_id, name, scopes) values ('c', 'c', '{}')`);
  await run(`insert into oauth_token (sha256, client_id, scopes, expires_at)
    select n::text, 'c', '{}', now() - interval '1 minute' from generate_series(1, 2500) n`);
  const { tokens } = retention['access-tokens'];
  const deleteTokens = (limit: number) => deleteOldest(service.database, tokens, 0, limit);
  let checks = 0;
  const first = await inBatches({ isOver: () => ++checks > 2 }, { tokens: deleteTokens });
  expect(first).toEqual({ counts: { tokens: 2_000 }, finished: false });
  expect(await runMaintenanceTask('access-tokens', service)).toMatchObject({ counts: { tokens: 500 }, finished: true });
});

/** Sets the time of storage to some days ago. */
async function age(dataFolder: string, key: string, days: number): Promise<void> {
  const shard = createHash('sha256').update(key).digest('hex').slice(0, 2);
  const file = path.join(dataFolder, 'results', 'objects', shard, key.replaceAll('/', '~'));
  await utimes(file, new Date(daysAgo(days)), new Date(daysAgo(days)));
}
