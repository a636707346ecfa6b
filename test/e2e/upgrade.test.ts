/** This version takes over the database and results of release 0.2, after `npm run import-0x`. */
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { JobResource } from '../../core/jobs/resource.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { writeKeys } from '../support/releases/redis-keys.ts';
import { type Release, recordedReleases } from '../support/releases/release.ts';
import { restoreDatabase } from '../support/releases/restore-database.ts';
import { runningBackends } from '../support/running-service.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';
import { removeServer, startOwnPostgres, temporaryFolder } from '../support/test-postgres.ts';
import { startRedis, type TestRedis } from '../support/test-redis.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const upgrades = recordedReleases().flatMap(release =>
  runningBackends.map(backend => ({ release, version: release.version, backend })),
);

describe.each(upgrades)('an upgrade from release $version with queues in $backend', ({ release, backend }) => {
  let dataDir: string;
  let sandbox: Sandbox;
  let redis: TestRedis | undefined;
  let database: pg.Client;
  let base: string;
  const processes: ServiceProcess[] = [];
  /** Rows of each table after the import, before a job changes them. */
  const imported = new Map<string, unknown>();
  const { kept } = release;
  const permanent = release.tables.filter(({ table }) =>
    /^public\.(link|click$|deal|crm_|employee|event_lead|activity_note|effect|oauth_|audit_|sms_|location|portal_location|project_|schedule|termination)/.test(
      table,
    ),
  );

  beforeAll(async () => {
    dataDir = await temporaryFolder();
    linkBrowserFolder(dataDir);
    await cp(release.resultsFolder, path.join(dataDir, 'results'), { recursive: true });
    const { url } = await startOwnPostgres(dataDir);
    await restoreDatabase(url, release, jobsOfOtherBackend(release, backend));
    if (backend === 'redis') redis = await restoreRedis(release);
    sandbox = await startSandbox();
    await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
    const env = {
      NODE_ENV: 'development',
      LOG_LEVEL: 'info',
      SHUTDOWN_GRACE_SECONDS: '2',
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      SANDBOX_PORT: new URL(sandbox.url).port,
      PUBLIC_URL: 'https://portal.example',
      CRM_REQUESTS_PER_SECOND: '100',
      CRM_REQUEST_BURST: '10000',
      ...(redis && { REDIS_URL: redis.url }),
    };
    const importing = startProcess('core/cli/import-0x.ts', { env });
    expect(await importing.ended, importing.output()).toBe(0);
    expect(importing.output()).toMatch(/^Imported \d+ rows of 0\.x\./m);
    database = new pg.Client({ connectionString: url });
    await database.connect();
    for (const { table } of permanent) {
      const { rows } = await database.query(`SELECT count(*)::int AS n FROM ${table}`);
      imported.set(table, rows[0]?.n);
    }
    processes.push(startProcess('api/main.ts', { env }), startProcess('workers/main.ts', { env }));
    const [address] = await Promise.all(processes.map(({ ready }) => ready));
    base = `${address}/v2`;
  });
  afterAll(async () => {
    await stopProcesses(processes);
    await database?.end();
    await Promise.all([redis?.stop(), sandbox?.close()]);
    await removeServer(dataDir);
  });

  const ask = (route: string, init: RequestInit = {}): Promise<Response> =>
    fetch(base + route, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Bearer ${release.accessToken}`, ...init.headers },
    });
  const jobOf = async (id: string): Promise<JobResource> => {
    const answer = await ask(`/jobs/${id}`);
    expect(answer.status).toBe(200);
    return JobResource.parse(await answer.json());
  };

  it('keeps the rows of permanent data', async () => {
    const { rows } = await database.query("SELECT to_regnamespace('release_0') AS old");
    expect(rows[0]?.old).toBe(null);
    expect(permanent.length).toBeGreaterThan(12);
    for (const { table, rows: recorded } of permanent)
      expect(imported.get(table), table).toBeGreaterThanOrEqual(recorded.length);
  });

  it('accepts access tokens and client secrets, and keeps the callback secret', async () => {
    expect((await ask('/jobs?limit=1')).status).toBe(200);
    const authorization = `Basic ${Buffer.from(`portal:${release.clientSecret}`).toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    expect((await ask('/oauth/token', { method: 'POST', headers: { authorization }, body })).status).toBe(200);
    expect(await (await ask('/jobs/callback-secret')).json()).toMatchObject({ secret: kept.callbackSecret });
    expect(await (await ask(`/oauth/clients/${kept.clientId}`)).json()).toMatchObject({ name: 'Chat bot' });
  });

  it('returns jobs and their files', async () => {
    expect(await jobOf(kept.pdfJob)).toMatchObject({ state: 'succeeded', result: { pages: 2 } });
    expect(await jobOf(kept.failedJob)).toMatchObject({
      state: 'failed',
      error: { type: expect.stringMatching(/\/v2\/problems\/photo-unavailable$/) },
    });
    const result = await ask(`/jobs/${kept.previewJob}/result`);
    expect([result.status, result.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(
      Buffer.from(await result.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const { items } = z
      .object({ items: z.array(z.unknown()) })
      .parse(await (await ask(`/jobs/${kept.failedJob}/timeline`)).json());
    expect(items.length).toBeGreaterThan(2);
  });

  it('opens links and replays idempotent requests', async () => {
    const opened = await ask(`/r/${kept.link.slug}`);
    expect([opened.status, opened.headers.get('location')]).toEqual([302, kept.link.target]);
    const repeated = await ask('/apps/links/v1/campaigns', {
      method: 'POST',
      headers: { 'idempotency-key': kept.idempotencyKey, 'content-type': 'application/json' },
      body: JSON.stringify(kept.linkBody),
    });
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(await repeated.json()).toMatchObject({ id: kept.link.id });
  });

  it('completes the waiting jobs of every kind', async () => {
    const excluded = jobsOfOtherBackend(release, backend);
    const waiting = Object.entries(release.waiting[backend]).filter(([, id]) => !excluded.includes(id));
    expect(waiting.length).toBeGreaterThan(5);
    for (const [what, id] of waiting) {
      // Full reads take long: it is enough that they are running.
      const wanted = /^(location-sync|crm-acquisition)_/.test(id) ? /running|succeeded/ : /succeeded/;
      await expect.poll(async () => (await jobOf(id)).state, { timeout: 90_000, message: what }).toMatch(wanted);
    }
  });

  it('returns the plan of a held job and releases the job', async () => {
    expect((await ask(`/jobs/${kept.heldJob}/plan`)).status).toBe(200);
    expect((await ask(`/jobs/${kept.heldJob}/release`, { method: 'POST' })).status).toBeLessThan(300);
    expect((await jobOf(kept.heldJob)).state).not.toBe('held');
  });
});

/**
 * Jobs that waited in the queues of the other backend. Jobs with an exclusive key exist once and waited in PostgreSQL:
 * the second request returned the first job.
 */
function jobsOfOtherBackend({ waiting }: Release, backend: 'postgres' | 'redis'): string[] {
  const inPostgres = Object.values(waiting.postgres);
  if (backend === 'redis') return inPostgres;
  return Object.values(waiting.redis).filter(id => !inPostgres.includes(id));
}

async function restoreRedis({ redisKeys }: Release): Promise<TestRedis> {
  const started = await startRedis();
  const connection = new Redis(started.url);
  await writeKeys(connection, redisKeys);
  connection.disconnect();
  return started;
}
