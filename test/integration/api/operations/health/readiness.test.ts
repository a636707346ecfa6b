/** GET /health and /health/ready: liveness, readiness, time limits. */
import { afterEach, describe, expect, it } from 'vitest';
import { openApiClient, type Reply } from '../../../../support/api-client.ts';
import { startTcpProxy, type TcpProxy } from '../../../../support/tcp-proxy.ts';
import { backends, startTestService, type TestService } from '../../../../support/test-service.ts';
import { openTrials, trialContracts } from '../../../../support/trial-jobs.ts';

let service: TestService | undefined;
let proxy: TcpProxy | undefined;
afterEach(async () => {
  await proxy?.restore();
  await service?.close();
  await proxy?.close();
  proxy = undefined;
});

const behindLine = async (url: string): Promise<string> => {
  proxy = await startTcpProxy(url);
  return proxy.url;
};
const readiness = (path = '/health/ready'): Promise<Reply> => {
  if (!service) throw new Error('no service');
  return openApiClient(service).request('GET', path);
};

describe.each(backends)('readiness on %s', backend => {
  it('warns without a worker and passes with one', async () => {
    service = await startTestService('readiness', { backend, contracts: trialContracts });
    const before = await readiness();
    expect(before.status).toBe(200);
    expect(before.headers.get('content-type')).toBe('application/health+json');
    expect(before.headers.get('cache-control')).toBe('no-store');
    expect(before.body).toMatchObject({
      status: 'warn',
      checks: {
        'database:responseTime': [{ status: 'pass', observedUnit: 'ms' }],
        'queue trial:depth': [{ status: 'pass', observedValue: 0 }],
        'workers trial:alive': [{ status: 'warn', observedValue: 0, output: expect.any(String) }],
      },
    });

    const worker = service.startWorker(openTrials().servedKinds);
    await expect.poll(async () => (await readiness()).body).toMatchObject({ status: 'pass' });
    await worker.stop();
    expect((await readiness()).body).toMatchObject({ status: 'warn' });
  });

  it('counts the waiting jobs of each queue', async () => {
    service = await startTestService('readiness', { backend, contracts: trialContracts });
    for (const contract of trialContracts.values()) {
      await service.jobs.submit(contract, { clientId: 'client', payload: { name: 'waits' } });
      await service.jobs.submit(contract, { clientId: 'client', payload: { name: 'waits too' } });
    }
    expect((await readiness()).body).toMatchObject({
      checks: { 'queue trial:depth': [{ observedValue: 2 }], 'queue hasty:depth': [{ observedValue: 2 }] },
    });
  });
});

describe.each(['is down', 'hangs'])('when PostgreSQL %s', how => {
  it('returns 200 for liveness, 503 for readiness within seconds, and 200 afterwards', async () => {
    service = await startTestService('readiness', { contracts: trialContracts, databaseUrl: behindLine });
    expect((await readiness()).status).toBe(200);
    if (how === 'hangs') proxy?.hang();
    else await proxy?.cut();

    const startedAt = performance.now();
    const { status, body } = await readiness();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'fail', checks: { 'database:responseTime': [{ status: 'fail' }] } });
    expect((await readiness('/health')).status).toBe(200);

    await proxy?.restore();
    await expect.poll(async () => (await readiness()).status).toBe(200);
  });
});

describe.runIf(backends.includes('redis')).each(['is down', 'hangs'])('when Redis %s', how => {
  it('returns 503 for readiness within seconds, and 200 afterwards', async () => {
    service = await startTestService('readiness', {
      backend: 'redis',
      contracts: trialContracts,
      redisUrl: behindLine,
    });
    expect((await readiness()).status).toBe(200);
    if (how === 'hangs') proxy?.hang();
    else await proxy?.cut();

    const startedAt = performance.now();
    const { status, body } = await readiness();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: 'fail',
      checks: { 'database:responseTime': [{ status: 'pass' }], 'queue trial:depth': [{ status: 'fail' }] },
    });

    await proxy?.restore();
    await expect.poll(async () => (await readiness()).status).toBe(200);
  });
});

describe('a request while PostgreSQL is down', () => {
  it('returns 503 with Retry-After', async () => {
    service = await startTestService('readiness', { contracts: trialContracts, databaseUrl: behindLine });
    const client = await service.client(['trial']);
    await proxy?.cut();
    const { status, headers, body } = await client.request('GET', '/jobs');
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body).toMatchObject({ type: 'http://portal.example/v2/problems/service-unavailable' });
    await proxy?.restore();
    await expect.poll(async () => (await client.request('GET', '/jobs')).status).toBe(200);
  });
});
