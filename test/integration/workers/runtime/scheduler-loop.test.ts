/** Real scheduler processes: each due time starts one job, however many schedulers run and whichever dies. */
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type ServiceProcess, startProcess, stopProcesses } from '../../../support/processes.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, trialContracts } from '../../../support/trial-jobs.ts';

const Row = z.object({ due: z.string(), outcome: z.string(), job_id: z.string().nullable() });

let service: TestService;
let schedulers: ServiceProcess[];

beforeEach(async () => {
  schedulers = [];
  service = await startTestService('scheduler-loop', { contracts: trialContracts });
  service.startWorker(openTrials().servedKinds);
});
afterEach(async () => {
  await stopProcesses(schedulers);
  await service?.close();
});

const start = () => {
  const env = { NODE_ENV: 'test', LOG_LEVEL: 'info', DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataFolder };
  const scheduler = startProcess('test/support/trial-scheduler.ts', { env });
  schedulers.push(scheduler);
  return scheduler;
};
const runs = async () => {
  const { rows } = await service.database.execute(
    sql`select to_char(due_at, 'MI:SS.MS') as due, outcome, job_id from schedule_fire order by due_at`,
  );
  return z.array(Row).parse(rows);
};
const fired = async (atLeast: number) =>
  expect
    .poll(async () => (await runs()).filter(({ outcome }) => outcome === 'fired').length)
    .toBeGreaterThanOrEqual(atLeast);

it('starts exactly one job per second with three schedulers, one of which is killed', async () => {
  const [first] = [start(), start(), start()];
  await Promise.all(schedulers.map(({ ready }) => ready));
  const ready = (await runs()).length;
  await fired(ready + 2);
  first?.kill('SIGKILL');
  await first?.ended;
  await fired((await runs()).length + 2);
  await stopProcesses(schedulers);

  const recorded = await runs();
  const jobIds = recorded.filter(({ outcome }) => outcome === 'fired').map(({ job_id }) => job_id);
  expect(new Set(jobIds).size).toBe(jobIds.length);
  expect(new Set(recorded.map(({ due }) => due)).size).toBe(recorded.length);
  // On the second, without a gap between the first and the last.
  expect(recorded.every(({ due }) => due.endsWith('.000'))).toBe(true);
  const { rows } = await service.database.execute(
    sql`select count(*)::int as fires, extract(epoch from max(due_at) - min(due_at))::int + 1 as seconds from schedule_fire`,
  );
  expect(rows[0]?.fires).toBe(rows[0]?.seconds);
  const { rows: jobs } = await service.database.execute(sql`select count(*)::int as n from job`);
  expect(jobs).toEqual([{ n: jobIds.length }]);
});

it('exits with 78 and lists the schedules when SCHEDULES_OFF names an unknown one', async () => {
  const env = { NODE_ENV: 'test', DATABASE_URL: service.databaseUrl, SCHEDULES_OFF: 'deals-aquisition' };
  const rejected = startProcess('workers/scheduler.ts', { env });
  schedulers.push(rejected);
  expect(await rejected.ended).toBe(78);
  expect(rejected.output()).toMatch(
    /^SCHEDULES_OFF contains unknown schedules: deals-aquisition\. The schedules are .+\.$/m,
  );
});

it('stops at SIGTERM and removes its heartbeat', async () => {
  const scheduler = start();
  const id = await scheduler.ready;
  const heartbeats = async () => {
    const { rows } = await service.database.execute(
      sql`select count(*)::int as n from worker_heartbeat where worker_id = ${id}`,
    );
    return rows[0]?.n;
  };
  await expect.poll(heartbeats).toBe(1);
  scheduler.kill('SIGTERM');
  expect(await scheduler.ended).toBe(0);
  expect(await heartbeats()).toBe(0);
});
