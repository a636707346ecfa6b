/** All attempts of an interactive request share one deadline. */
import { afterEach, expect, it } from 'vitest';
import { useSandbox } from '../../../support/sandbox.ts';
import { useClient, useService } from '../../../support/test-service.ts';

const sandbox = useSandbox();
const service = useService('deadline', () => ({
  sandboxUrl: sandbox.url,
  env: { INTERACTIVE_DEADLINE_SECONDS: '2', CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
}));
const client = useClient(service, ['crm:read', 'crm:write']);

afterEach(() => sandbox.control.reset('crm'));

// The CRM's own timeout is 65 s, and a read has three attempts.
it('answers with 504 and what was tried, when a system sends its answer too slowly', async () => {
  await sandbox.control.fault('crm', { fault: 'slow', delayMs: 120_000, times: 10 });
  expect(await client.request('GET', '/apps/crm/v1/products/2')).toMatchObject({
    status: 504,
    body: {
      code: 'upstream-timeout',
      detail: 'The request was not finished within 2 s; tried: crm POST /crm.product.get.',
    },
  });
});

it('counts the attempts that failed before', async () => {
  await sandbox.control.fault('crm', { fault: 'error-500', times: 1 });
  await sandbox.control.fault('crm', { fault: 'slow', delayMs: 120_000, times: 10 });
  expect(await client.request('GET', '/apps/crm/v1/products/2')).toMatchObject({
    status: 504,
    body: { detail: 'The request was not finished within 2 s; tried: crm POST /crm.product.get (2 times).' },
  });
});
