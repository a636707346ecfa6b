/** GET /health/ready tells of the outside systems: a circuit that is open is a warning, one that is not used is nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { inCallScope } from '../../../core/integrations/kit/call-context.ts';
import { openApiClient } from '../../support/api-client.ts';
import { type LoopbackServer, startLoopbackServer } from '../../support/loopback-server.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

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

const look = async () => (await openApiClient(service).ask('GET', '/health/ready')).body;

describe('outside systems', () => {
  it('pass when nobody configured them, and warn while one is left alone because it fails', async () => {
    expect(await look()).toMatchObject({
      checks: {
        'system crm:circuit': [{ status: 'pass', observedValue: 'closed' }],
        'system sms-gateway:circuit': [{ status: 'pass', observedValue: 'not configured' }],
      },
    });
    const crm = crmSystem.at(service.systems);
    const ask = () => inCallScope({ priority: 'interactive' }, () => crm.users.get(1));
    for (let turn = 0; turn < 3; turn++) await expect(ask()).rejects.toThrow();
    expect(await look()).toMatchObject({
      status: 'warn',
      checks: {
        'system crm:circuit': [{ status: 'warn', observedValue: 'open', output: expect.any(String) }],
      },
    });
  });
});
