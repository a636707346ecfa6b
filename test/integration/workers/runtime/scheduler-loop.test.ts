/** Scheduler processes as they run in production: however many there are, and whichever dies, each fire makes one job. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { endProcesses, type ServiceProcess, startProcess } from '../../../support/processes.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, trialContracts } from '../../../support/trial-jobs.ts';

const Row = z.object({ due: z.string(), outcome: z.string(), job_id: z.string().nullable() });

let service: TestService;
const schedulers: ServiceProcess[] = [];

beforeAll(async () => {
  service = await startTestService('schedule-clock', { contracts: trialContracts });
  service.startWorker(openTrials().posts);
});
afterAll(async () => {
  await endProcesses(schedulers);
  await service?.close();
});

const start = () => {
  const env = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.dataFolder,
  };
  const scheduler = startProcess('test/support/trial-scheduler.ts', { env });
  schedulers.push(scheduler);
  return scheduler;
};
const ledger = async () => {
  const { rows } = await service.database.execute(
    sql`select to_char(due_at, 'MI:SS.MS') as due, outcome, job_id from schedule_fire order by due_at`,
  );
  return z.array(Row).parse(rows);
};
const fired = async (atLeast: number) =>
  expect
    .poll(async () => (await ledger()).filter(({ outcome }) => outcome === 'fired').length, {
      timeout: 30_000,
    })
    .toBeGreaterThanOrEqual(atLeast);

it('three schedulers, one of them killed, make exactly one job of each second', async () => {
  const [first] = [start(), start(), start()];
  await Promise.all(schedulers.map(({ ready }) => ready));
  const ready = (await ledger()).length;
  await fired(ready + 2);
  first?.kill('SIGKILL');
  await first?.ended;
  await fired((await ledger()).length + 2);
  await endProcesses(schedulers);

  const fires = await ledger();
  const jobIds = fires.filter(({ outcome }) => outcome === 'fired').map(({ job_id }) => job_id);
  expect(new Set(jobIds).size).toBe(jobIds.length);
  expect(new Set(fires.map(({ due }) => due)).size).toBe(fires.length);
  // On the second, and one after the other: none is missing between the first and the last.
  expect(fires.every(({ due }) => due.endsWith('.000'))).toBe(true);
  const { rows } = await service.database.execute(
    sql`select count(*)::int as fires, extract(epoch from max(due_at) - min(due_at))::int + 1 as seconds from schedule_fire`,
  );
  expect(rows[0]?.fires).toBe(rows[0]?.seconds);
  const { rows: jobs } = await service.database.execute(sql`select count(*)::int as n from job`);
  expect(jobs).toEqual([{ n: jobIds.length }]);
});

it('the service’s own scheduler refuses to leave out what is no schedule, with a sentence that names those there are', async () => {
  const env = { NODE_ENV: 'test', DATABASE_URL: service.databaseUrl, SCHEDULES_OFF: 'deals-aquisition' };
  const refused = startProcess('workers/scheduler.ts', { env });
  schedulers.push(refused);
  expect(await refused.ended).toBe(78);
  expect(refused.output()).toMatch(
    /^SCHEDULES_OFF names what is no schedule: deals-aquisition\. There are .+\.$/m,
  );
});

it('a scheduler that is told to stop does so at once, and none counts as alive any more', async () => {
  const scheduler = start();
  await scheduler.ready;
  await expect.poll(async () => (await service.signs.read()).length, { timeout: 10_000 }).toBeGreaterThan(0);
  scheduler.kill('SIGTERM');
  expect(await scheduler.ended).toBe(0);
});
