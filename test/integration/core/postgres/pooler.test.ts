/** The service behind PgBouncer in transaction mode, with the configuration of docs/production.md. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { coreChecks, runChecks } from '../../../../core/doctor/check.ts';
import { openContext } from '../../../../core/doctor/context.ts';
import { openDatabase } from '../../../../core/postgres/client.ts';
import { tryWithSessionLock } from '../../../../core/postgres/locks.ts';
import { emptyDatabase } from '../../../../core/postgres/migrate.ts';
import { openApiClient } from '../../../support/api-client.ts';
import { gate } from '../../../support/gate.ts';
import { openLink } from '../../../support/link-clicks.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../../support/pgbouncer.ts';
import { startProcess, stopProcesses } from '../../../support/processes.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';
import { backends } from '../../../support/test-service.ts';
import { untilAborted } from '../../../support/trial-jobs.ts';
import { useTrials } from '../../../support/use-trials.ts';

const logger = pino({ level: 'silent' });

describe.skipIf(!hasPgBouncer)('behind PgBouncer', () => {
  let testDatabase: TestDatabase;
  let pooler: PgBouncer;

  beforeAll(async () => {
    testDatabase = await createTestDatabase('pooler');
    pooler = await startPgBouncer(testDatabase.url, temporaryFolder());
  });
  afterAll(async () => {
    await pooler?.stop();
    await testDatabase?.drop();
  });

  describe.each(backends)('with queues on %s', backend => {
    const { service, trials } = useTrials(`pooled ${backend}`, () => ({
      backend,
      databaseUrl: () => testDatabase.url,
      poolerUrl: () => pooler.url,
      env: { TOKENS_PER_MINUTE: '3' },
    }));

    it('completes jobs, and executes one with an Idempotency-Key once', async () => {
      const client = await service.client(['trial']);
      const kinds = Array.from({ length: 30 }, (_, index) => ['trial', 'solo'][index % 2]);
      const jobs = await Promise.all(
        kinds.map((kind, index) => client.requestJob('POST', `/trials/${kind}`, { body: { name: `job ${index}` } })),
      );
      const ended = await Promise.all(jobs.map(({ id }) => client.waitForJob(id)));
      expect(ended.map(({ state }) => state)).toEqual(jobs.map(() => 'succeeded'));
      const given = { body: { name: 'once' }, headers: { 'idempotency-key': randomUUID() } };
      const once = await client.requestJob('POST', '/trials/trial', given);
      const repeated = await client.request('POST', '/trials/trial', given);
      expect(repeated.body).toMatchObject({ id: once.id });
      expect(repeated.headers.get('idempotent-replayed')).toBe('true');
      await client.waitForJob(once.id);
      expect(trials.attempts('once')).toEqual([1]);
    });

    it('completes running jobs after a restart of the pooler', async () => {
      const client = await service.client(['trial']);
      const [running, finish] = [gate(), gate()];
      trials.when('restart', async () => {
        running.open();
        await finish.opened;
        return 'done';
      });
      const submit = () => client.requestJob('POST', '/trials/trial', { body: { name: 'restart' } });
      const jobs = await Promise.all(Array.from({ length: 6 }, submit));
      await running.opened;
      await pooler.restart(0);
      finish.open();
      const ended = await Promise.all(jobs.map(({ id }) => client.waitForJob(id)));
      expect(ended.map(({ state, attempts }) => [state, attempts.made])).toEqual(jobs.map(() => ['succeeded', 1]));
    });

    it('counts rate limits', async () => {
      const grant = { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'wrong' };
      const ask = () => fetch(`${service.origin}/v2/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) });
      const statuses = (await Promise.all(Array.from({ length: 15 }, ask))).map(({ status }) => status);
      expect(statuses.filter(status => status === 401)).toHaveLength(10);
      expect(statuses.filter(status => status === 429)).toHaveLength(5);
    });

    it('announces changes, and cancels a running job', async () => {
      const client = await service.client(['trial']);
      const heard = new Set<string>();
      const subscription = service.changes.subscribe('job_stop', id => void heard.add(id));
      const isListening = () => {
        service.changes.announce('job_stop', 'probe');
        return heard.has('probe');
      };
      await expect.poll(isListening).toBe(true);
      const running = gate();
      trials.when('long', context => {
        running.open();
        return untilAborted(context);
      });
      const { id } = await client.requestJob('POST', '/trials/trial', { body: { name: 'long' } });
      await running.opened;
      await client.request('DELETE', `/jobs/${id}`);
      expect((await client.waitForJob(id)).state).toBe('cancelled');
      await expect.poll(() => [...heard]).toContain(id);
      await subscription.close();
    });
  });

  it('holds session locks until their work ends', async () => {
    const options = { url: pooler.url, directUrl: testDatabase.url, poolSize: 2, logger, applicationName: 'test' };
    const [one, other] = [openDatabase(options), openDatabase(options)];
    const meanwhile = await tryWithSessionLock(one, 'work', () =>
      tryWithSessionLock(other, 'work', async () => 'both'),
    );
    expect(meanwhile).toEqual({ result: undefined });
    await expect.poll(() => tryWithSessionLock(other, 'work', async () => 'alone')).toEqual({ result: 'alone' });
    await Promise.all([one.close(), other.close()]);
  });

  it('ends statements that exceed the time limit of the documented configuration', async () => {
    const database = openDatabase({
      url: pooler.url,
      directUrl: testDatabase.url,
      poolSize: 1,
      logger,
      applicationName: 'test',
    });
    const { rows } = await database.execute(sql`
      select name, setting from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout')`);
    expect(rows).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '60000' },
      { name: 'statement_timeout', setting: '30000' },
    ]);
    await database.close();
  });

  it('no process starts without the direct address', async () => {
    const env = { NODE_ENV: 'development', DATABASE_URL: pooler.url, DATA_DIR: temporaryFolder() };
    const scheduler = startProcess('workers/scheduler.ts', { env });
    expect(await scheduler.ended).toBe(1);
    expect(scheduler.output()).toMatch(
      /The database postgres:\S+ cannot be used: a connection pooler answers.*: set DATABASE_DIRECT_URL to the address/,
    );
  });

  describe('the doctor', () => {
    const find = async (env: Record<string, string>) => {
      const context = openContext({ NODE_ENV: 'production', DATA_DIR: temporaryFolder(), ...env });
      const checks = (await coreChecks()).filter(({ name }) => name === 'connections');
      const [result] = await Promise.all(runChecks(checks, context));
      await context.close();
      return (result?.findings ?? []).map(({ level, found, fix }) => `${level} ${found}${fix ? `: ${fix}` : ''}`);
    };

    it('fails when the direct address is missing, or is that of the pooler', async () => {
      const problem =
        'failure a connection pooler answers, which loses notifications and session locks: ' +
        'set DATABASE_DIRECT_URL to the address of PostgreSQL itself (docs/production.md)';
      expect(await find({ DATABASE_URL: pooler.url })).toContain(problem);
      const other = new URL(pooler.url);
      other.hostname = 'localhost';
      expect(await find({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: other.href })).toContain(problem);
    });

    it('counts direct connections only, and reports a pooler that is down', async () => {
      const REDIS_URL = 'redis://127.0.0.1:1';
      const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: testDatabase.url, REDIS_URL };
      expect(await find(env)).toEqual([
        expect.stringMatching(
          /^ok each process may open 8 connections, the running ones \d+ of \d+, and those of the pooler$/,
        ),
      ]);
      const down = new URL(pooler.url);
      down.port = '1';
      expect(await find({ ...env, DATABASE_URL: down.href })).toContain(
        'failure DATABASE_URL: cannot connect to PostgreSQL (ECONNREFUSED): start it, or correct DATABASE_URL',
      );
      // PostgreSQL without PgBouncer's connect_query has no limits.
      expect((await find({ ...env, DATABASE_URL: `${testDatabase.url}?application_name=x` })).join()).toContain(
        "warning idle_in_transaction_session_timeout and statement_timeout of the pooler's connections have no limit",
      );
    });
  });

  it('API and worker migrate the database, complete jobs of the service and count clicks', async () => {
    await emptyDatabase(testDatabase.url);
    const sandbox = await startSandbox();
    for (const system of ['crm', 'listing-portal'] as const)
      await sandbox.control.settings(system, { callLimit: false });
    const env = {
      NODE_ENV: 'development',
      LOG_LEVEL: 'info',
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: testDatabase.url,
      DATA_DIR: temporaryFolder(),
      SANDBOX_PORT: new URL(sandbox.url).port,
      LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
    };
    const login = { BOOTSTRAP_CLIENT_ID: 'portal', BOOTSTRAP_CLIENT_SECRET: randomUUID() };
    const api = startProcess('api/main.ts', { env: { ...env, ...login, PORT: '0' } });
    const worker = startProcess('workers/main.ts', { env, args: ['location-sync', 'event-orders'] });
    onTestFinished(async () => {
      await stopProcesses([api, worker]);
      await sandbox.close();
    });
    const [origin] = await Promise.all([api.ready, worker.ready]);
    const grant = {
      grant_type: 'client_credentials',
      client_id: 'portal',
      client_secret: login.BOOTSTRAP_CLIENT_SECRET,
    };
    const issued = await fetch(`${origin}/v2/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) });
    const { access_token: accessToken } = Token.parse(await issued.json());
    const client = openApiClient({ origin, operations: [], accessToken });

    const jobs = await Promise.all([
      client.requestJob('POST', '/apps/listing-portal/v1/locations/update', {
        body: { dryRun: false, scope: { city: 'Ajman' } },
      }),
      client.requestJob('POST', '/apps/events/v1/orders/process', { body: { dryRun: true } }),
    ]);
    for (const { id } of jobs) expect(await client.releasedJob(id)).toMatchObject({ state: 'succeeded' });

    const campaign = { name: 'Pooled', url: 'https://example.com/', slug: 'pooled' };
    await client.request('POST', '/apps/links/v1/campaigns', { body: campaign });
    for (let click = 0; click < 5; click++) await openLink(`${origin}/r/pooled`);
    const database = openDatabase({ url: testDatabase.url, poolSize: 1, logger, applicationName: 'test' });
    onTestFinished(() => database.close());
    const clicks = async () => (await database.execute(sql`select from click`)).rowCount;
    await expect.poll(clicks).toBe(5);
    expect(api.output()).toMatch(/"perProcess":28,"processes":\d/);
    // Tests of other databases hold locks on the same server.
    const { rowCount } = await database.execute(sql`select from pg_locks
      join pg_database on pg_database.oid = pg_locks.database and datname = current_database()
      where locktype = 'advisory' and objsubid = 1`);
    expect(rowCount).toBeLessThanOrEqual(2);
  });
});

const Token = z.object({ access_token: z.string() });
