/** GET /health/ready: circuits of the integrations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import crmSystem from '../../../../../core/integrations/crm/system.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { openApiClient } from '../../../../support/api-client.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../support/loopback-server.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';

let service: TestService;
let broken: LoopbackServer;
beforeAll(async () => {
  broken = await startLoopbackServer((_request, response) => response.writeHead(500).end());
  service = await startTestService('system-readiness', {
    env: { CRM_URL: `${broken.origin}/rest/1/secret` },
  });
});
afterAll(async () => {
  await service?.close();
  await broken?.close();
});

const readiness = async () => (await openApiClient(service).request('GET', '/health/ready')).body;

describe('integrations', () => {
  it('pass when not configured, and warn while a circuit is open', async () => {
    expect(await readiness()).toMatchObject({
      checks: {
        'system crm:circuit': [{ status: 'pass', observedValue: 'closed' }],
        'system sms-gateway:circuit': [{ status: 'pass', observedValue: 'not configured' }],
      },
    });
    const crm = crmSystem.client(service.systems);
    const ask = () => withCallContext({ priority: 'interactive' }, () => crm.users.get(1));
    for (let turn = 0; turn < 3; turn++) await expect(ask()).rejects.toThrow();
    expect(await readiness()).toMatchObject({
      status: 'warn',
      checks: { 'system crm:circuit': [{ status: 'warn', observedValue: 'open', output: expect.any(String) }] },
    });
  });
});
