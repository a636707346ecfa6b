/** The findings of each alert rule. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AlertConfig } from '../../../../core/alerts/config.ts';
import { readBalance } from '../../../../core/alerts/read-balance.ts';
import { type AlertRule, discoverRules, type RuleFinding } from '../../../../core/alerts/rule.ts';
import { createCallBudgets } from '../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../core/integrations/kit/context.ts';
import { type JobContract, newJobId } from '../../../../core/jobs/contract.ts';
import { createHeartbeats } from '../../../../core/jobs/repository/heartbeats.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import { problemType } from '../../../../core/runtime/errors.ts';
import { createScheduleRuns } from '../../../../core/schedules/runs.ts';
import { registrationOf, schedulerHeartbeat, schedulesOf } from '../../../../core/schedules/schedule.ts';
import { scheduleFireTable, scheduleTable } from '../../../../core/schedules/schema.ts';
import { createProcessMetrics } from '../../../../core/telemetry/process-metrics.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { trialJob } from '../../../support/trial-jobs.ts';

const logger = pino({ level: 'silent' });
const hourly: JobContract = {
  ...trialJob,
  schedules: [
    { name: 'hourly', summary: 'Every hour.', cron: '0 * * * *', missed: 'latest', payload: { name: 'one' } },
  ],
};
const contracts = new Map([[hourly.kind, hourly]]);
const schedules = schedulesOf(contracts);
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

let database: Database;
let dropDatabase: () => Promise<void>;
let rules: ReadonlyMap<string, AlertRule>;

beforeAll(async () => {
  const { url, drop } = await createTestDatabase('alert-rules');
  dropDatabase = drop;
  database = openDatabase({ url, poolSize: 4, logger, applicationName: 'portal-test' });
  rules = new Map((await discoverRules()).map(rule => [rule.id, rule]));
});
afterAll(async () => {
  await database?.close();
  await dropDatabase?.();
});
beforeEach(async () => {
  await database.pool.query(
    'truncate job, schedule_fire, schedule, worker_heartbeat, process_metrics, sms_balance cascade',
  );
});

async function find(rule: string, env: Record<string, string> = {}): Promise<RuleFinding[]> {
  const found = rules.get(rule);
  if (!found) throw new Error(`there is no rule ${rule}`);
  const limits = readConfig(AlertConfig, env);
  return await found.find({ database, limits, contracts, schedules, now: new Date() });
}

async function putJob(job: Partial<typeof jobTable.$inferInsert> = {}): Promise<string> {
  const id = newJobId(job.kind ?? 'trial');
  await database
    .insert(jobTable)
    .values({ id, kind: 'trial', clientId: 'portal', payload: {}, attemptsMax: 1, ...job });
  return id;
}
const failed = (status: number, title = 'The browser failed') =>
  putJob({
    state: 'failed',
    finishedAt: ago(60),
    error: { type: 'x', title, status, detail: '' },
  });
const live = (kind: string) => createHeartbeats(database).write('worker-1', new Map([[kind, 0]]));

describe('oldest-waiting', () => {
  it('finds kinds whose jobs wait longer than their limit', async () => {
    await putJob({ queuedAt: ago(1_000) });
    await putJob({ queuedAt: ago(5) });
    await putJob({ kind: 'pdf', queuedAt: ago(130) });
    await putJob({ kind: 'leads', queuedAt: ago(130) });
    await putJob({ kind: 'leads', queuedAt: ago(5_000), state: 'running' });
    const found = await find('oldest-waiting');
    expect(found.map(({ subject }) => subject).sort()).toEqual(['pdf', 'trial']);
    expect(found.find(({ subject }) => subject === 'trial')?.what).toMatch(
      /^2 trial jobs waiting, one of them for 16 minutes 4\d seconds; the limit is 15 minutes\.$/,
    );
  });

  it('measures the wait of a retried job from its retry', async () => {
    const id = await putJob({ queuedAt: ago(5_000), state: 'failed' });
    await database.pool.query("update job set state = 'queued' where id = $1", [id]);
    expect(await find('oldest-waiting')).toEqual([]);
  });
});

describe('failure-rate', () => {
  it('finds a kind whose share and number of failures reach the limits', async () => {
    for (let count = 0; count < 16; count++) await putJob({ state: 'succeeded', finishedAt: ago(60) });
    for (let count = 0; count < 4; count++) await failed(502);
    expect(await find('failure-rate')).toEqual([]);
    await failed(500, 'Internal error');
    expect(await find('failure-rate')).toEqual([
      {
        subject: 'trial',
        what: '5 trial jobs of 21 failed within an hour (24%), most with “The browser failed”.',
      },
    ]);
    expect(await find('failure-rate', { ALERT_FAILURE_PERCENT: '50' })).toEqual([]);
  });

  it('ignores failures caused by the input', async () => {
    for (let count = 0; count < 9; count++) await failed(422, 'A photo is not available');
    expect(await find('failure-rate')).toEqual([]);
  });
});

describe('no-worker', () => {
  it('finds that no worker is alive, or none for a kind with waiting jobs', async () => {
    await putJob();
    await live(schedulerHeartbeat);
    expect(await find('no-worker')).toEqual([{ subject: 'service', what: 'No worker is alive; 1 job waiting.' }]);
    await live('pdf');
    expect(await find('no-worker')).toEqual([{ subject: 'trial', what: 'No worker runs trial jobs; 1 job waiting.' }]);
    await live('trial');
    expect(await find('no-worker')).toEqual([]);
  });
});

describe('no-scheduler', () => {
  it('finds that no scheduler is alive, if there was one before', async () => {
    expect(await find('no-scheduler')).toEqual([]);
    await createScheduleRuns(database).register([...schedules.values()].map(registrationOf));
    expect(await find('no-scheduler')).toMatchObject([{ subject: 'service' }]);
    await live(schedulerHeartbeat);
    expect(await find('no-scheduler')).toEqual([]);
  });
});

describe('missed-fire', () => {
  const register = (dueSince: Date, pausedAt: Date | null = null) =>
    database.insert(scheduleTable).values({ name: 'hourly', timing: 'x', dueSince, pausedAt });

  it('finds a schedule that was due and did not run, unless it is paused', async () => {
    await register(ago(7_300));
    expect(await find('missed-fire')).toMatchObject([
      { subject: 'hourly', what: expect.stringMatching(/^hourly was due at .* and did not run\.$/) },
    ]);
    await database.update(scheduleTable).set({ pausedAt: new Date() });
    expect(await find('missed-fire')).toEqual([]);
  });

  it('finds a missed last run, unless a later run caught up on it', async () => {
    const dueAt = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    await register(ago(10));
    await database
      .insert(scheduleFireTable)
      .values({ schedule: 'hourly', dueAt, outcome: 'missed-skipped', by: 'scheduler' });
    expect(await find('missed-fire')).toMatchObject([{ subject: 'hourly', what: expect.stringContaining('missed') }]);
    await database.update(scheduleFireTable).set({ outcome: 'missed-fired' });
    expect(await find('missed-fire')).toEqual([]);
  });
});

describe('scheduled-run-failed', () => {
  it('finds a schedule whose last ended run failed', async () => {
    const addRun = async (hours: number, jobId: string) =>
      database
        .insert(scheduleFireTable)
        .values({ schedule: 'hourly', dueAt: ago(hours * 3_600), outcome: 'fired', by: 'scheduler', jobId });
    await addRun(3, await putJob({ state: 'succeeded', finishedAt: ago(9_000) }));
    const id = await failed(502);
    await addRun(2, id);
    await addRun(1, await putJob({ state: 'running' }));
    expect(await find('scheduled-run-failed')).toEqual([
      {
        subject: 'hourly',
        what: expect.stringMatching(`^hourly failed at .* with “The browser failed”: ${id}\\.$`),
      },
    ]);
    await addRun(0, await putJob({ state: 'succeeded', finishedAt: ago(1) }));
    expect(await find('scheduled-run-failed')).toEqual([]);
  });
});

describe('circuit-open', () => {
  it('finds systems whose circuit is open in a running process', async () => {
    const gauge = (value: number) => [{ name: 'portal_circuit_state', values: [{ value, labels: { system: 'crm' } }] }];
    const metrics = createProcessMetrics(database);
    await metrics.write({ process: 'worker', instance: 'a:1', snapshot: gauge(2) });
    await metrics.write({ process: 'worker', instance: 'a:2', snapshot: gauge(0) });
    await metrics.write({ process: 'api', instance: 'a:3', snapshot: { of: 'another version' } });
    expect(await find('circuit-open')).toMatchObject([{ subject: 'crm' }]);
    await metrics.write({ process: 'worker', instance: 'a:1', snapshot: gauge(0) });
    expect(await find('circuit-open')).toEqual([]);
  });

  it('finds systems for which jobs wait, such as one with a single failing endpoint', async () => {
    const error = {
      detail: '',
      title: 'The job waits for an outside system',
      status: 503,
      type: problemType('waiting-for-system'),
    };
    const call = { operation: 'GET /users', status: 500, at: new Date().toISOString() };
    await putJob({ state: 'scheduled', error });
    expect(await find('circuit-open')).toEqual([]);
    await putJob({ state: 'scheduled', error: { ...error, upstream: { system: 'directory', ...call } } });
    const what = 'The outside system directory keeps failing; processes with an open circuit: 0; waiting jobs: 1.';
    expect(await find('circuit-open')).toEqual([{ subject: 'directory', what }]);
    await database.update(jobTable).set({ state: 'succeeded', error: null });
    expect(await find('circuit-open')).toEqual([]);
  });
});

describe('pdf-structure-unknown', () => {
  it('finds running workers that delivered unprocessed brochures', async () => {
    const counter = (value: number) => [{ name: 'portal_pdfs_unprocessed_total', values: [{ value, labels: {} }] }];
    const metrics = createProcessMetrics(database);
    await metrics.write({ process: 'worker', instance: 'a:1', snapshot: counter(2) });
    await metrics.write({ process: 'worker', instance: 'a:2', snapshot: counter(0) });
    await metrics.write({ process: 'api', instance: 'a:3', snapshot: [] });
    const what = '2 brochures delivered as the browser of worker a:1 wrote them.';
    expect(await find('pdf-structure-unknown')).toEqual([{ subject: 'a:1', what }]);
    await metrics.remove({ process: 'worker', instance: 'a:1' });
    expect(await find('pdf-structure-unknown')).toEqual([]);
  });
});

describe('callbacks-given-up', () => {
  it('finds those of the last 24 hours', async () => {
    const id = await putJob({ state: 'succeeded', finishedAt: ago(60) });
    await database.pool.query(
      "insert into job_callback (job_id, url, state) values ($1, 'https://portal.example/', 'failed')",
      [id],
    );
    expect(await find('callbacks-given-up')).toEqual([]);
    await database.pool.query("insert into job_event (job_id, type) values ($1, 'callback-tried')", [id]);
    expect(await find('callbacks-given-up')).toMatchObject([{ what: '1 callback given up within the last 24 hours.' }]);
  });
});

describe('sms-balance-low', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox?.close());

  const gateway = (env: Record<string, string>) => ({
    database,
    logger,
    systems: openIntegrationContext({
      env,
      sandboxUrl: sandbox.url,
      budgets: createCallBudgets(database),
      logger,
    }),
  });
  const configured = () =>
    gateway({ SMS_URL: `${sandbox.url}/telephony`, SMS_USERNAME: 'sandbox', SMS_PASSWORD: 'sandbox' });

  it('finds a low balance, not an unknown one', async () => {
    expect(await find('sms-balance-low')).toEqual([]);
    await readBalance(configured());
    expect(await find('sms-balance-low', { ALERT_SMS_BALANCE: '1' })).toEqual([]);
    expect(await find('sms-balance-low', { ALERT_SMS_BALANCE: '1000000' })).toMatchObject([
      {
        what: expect.stringMatching(/^The balance at the SMS gateway is [\d.]+ AED; the limit is 1000000\.$/),
      },
    ]);
  });

  it('reads the balance once per period, and never from the sandbox', async () => {
    await readBalance(gateway({}));
    expect(await database.pool.query('select from sms_balance')).toMatchObject({ rowCount: 0 });
    await readBalance(configured());
    await readBalance(configured());
    expect(await database.pool.query('select from sms_balance')).toMatchObject({ rowCount: 1 });
  });

  it('treats the balance of a gateway that is down as unknown', async () => {
    await readBalance(gateway({ SMS_URL: 'http://127.0.0.1:1' }));
    const { rows } = await database.pool.query('select amount from sms_balance');
    expect(rows).toEqual([{ amount: null }]);
    expect(await find('sms-balance-low')).toEqual([]);
  });
});
