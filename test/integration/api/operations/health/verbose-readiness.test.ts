/** GET /health/ready?verbose: findings of the doctor; operators only, no secrets, cached. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkerHealth } from '../../../../../core/jobs/repository/heartbeats.ts';
import { ok } from '../../../../../core/runtime/finding.ts';
import { startHealthProbes } from '../../../../../workers/runtime/health-probe.ts';
import { openApiClient } from '../../../../support/api-client.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../support/loopback-server.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';
import { trialJob } from '../../../../support/trial-jobs.ts';

let service: TestService;
let crm: LoopbackServer;
beforeAll(async () => {
  crm = await startLoopbackServer((_, response) => response.writeHead(401).end('{}'));
  service = await startTestService('verbose-readiness', {
    env: {
      CRM_URL: `${crm.origin}/rest/1/the-webhook-secret`,
      OPS_USER: 'ops',
      OPS_PASSWORD: 'the-ops-password',
    },
  });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
});

const path = '/health/ready?verbose';

it('accepts the operator login', async () => {
  const authorization = `Basic ${Buffer.from('ops:the-ops-password').toString('base64')}`;
  expect(await openApiClient(service).request('GET', path, { headers: { authorization } })).toMatchObject({
    status: 200,
  });
  expect(await openApiClient(service).request('GET', '/health/ready?verbose=maybe')).toMatchObject({ status: 422 });
});

it('returns every check with remediation, and the browser checks of live workers', async () => {
  await createWorkerHealth(service.database).write('dead', { browser: ok('Chromium 100') });
  const served = {
    contract: trialJob,
    handler: {
      handle: () => Promise.reject(new Error('nothing to do')),
      check: async () => ({ browser: ok('Chromium 147, test print in 80 ms') }),
    },
  };
  await service.heartbeats.write('alive', new Map([['trial', 0]]));
  const probes = startHealthProbes([served], 'alive', service);
  const workerHealth = () => createWorkerHealth(service.database).read();
  await expect.poll(workerHealth).toMatchObject([{ workerId: 'alive', name: 'browser' }]);
  const other = await startTestService('verbose-workers', { databaseUrl: () => service.databaseUrl });
  const { status, body, bytes } = await (await other.client(['ops'])).request('GET', path);
  await other.close();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    checks: {
      'database:responseTime': [{ status: 'pass' }],
      'doctor node': [{ status: 'pass', observedValue: expect.stringContaining('Node.js') }],
      'doctor browser of alive': [{ status: 'pass', observedValue: 'Chromium 147, test print in 80 ms' }],
    },
  });
  expect(bytes.toString()).not.toContain('Chromium 100');
  await probes.stop();
  expect(await workerHealth()).toEqual([]);
});

it('runs the checks once in ten seconds and shows no secret', async () => {
  const client = await service.client(['ops']);
  const replies = await Promise.all(Array.from({ length: 5 }, () => client.request('GET', path)));
  expect(crm.requests).toHaveLength(1);
  for (const { status, body, bytes } of replies) {
    // A system that rejects its credentials does not change the status of the service.
    expect(status).toBe(200);
    expect(body).toMatchObject({
      checks: {
        'doctor crm': [{ status: 'fail', observedValue: 'The CRM rejects our credentials', output: 'correct CRM_URL' }],
      },
    });
    expect(bytes.toString()).not.toMatch(/the-webhook-secret|the-ops-password|postgres:\/\//);
  }
});
