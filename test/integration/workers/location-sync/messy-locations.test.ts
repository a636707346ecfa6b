/** A sync with a CRM whose locations have no level, or a portal id in an unexpected form, duplicates none of them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { coreChecks, runChecks } from '../../../../core/doctor/check.ts';
import { contextOf } from '../../../../core/doctor/context.ts';
import acquisitionContract from '../../../../workers/crm-acquisition/contract.ts';
import acquisition from '../../../../workers/crm-acquisition/handler.ts';
import contract from '../../../../workers/location-sync/contract.ts';
import handler from '../../../../workers/location-sync/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useService } from '../../../support/test-service.ts';

const city = 'Umm Al Quwain';
const StoredRow = z.object({ ID: z.int(), UF_CRM_8_PORTAL_ID: z.string() });

const sandbox = useSandbox();
const service = useService('messy locations', () => ({
  sandboxUrl: sandbox.url,
  contracts: new Map([contract, acquisitionContract].map(one => [one.kind, one])),
  env: {
    LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
    CRM_REQUESTS_PER_SECOND: '100',
    CRM_REQUEST_BURST: '10000',
  },
}));
let client: ApiClient;

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0, messyData: true });
  await sandbox.control.settings('listing-portal', { callLimit: false });
  service.startWorker([
    { contract, handler: await handler.open({}, service) },
    { contract: acquisitionContract, handler: await acquisition.open({}, service) },
  ]);
  client = await service.client(['crm:sync', 'portal:read']);
});

/** Portal id → number of CRM locations that have it. */
async function portalIds(): Promise<Map<string, number>> {
  const { latest } = await sandbox.control.rows('crm', 'locations', 100_000);
  const counts = new Map<string, number>();
  for (const { UF_CRM_8_PORTAL_ID: id } of z.array(StoredRow).parse(latest)) counts.set(id, (counts.get(id) ?? 0) + 1);
  counts.delete('');
  return counts;
}
const shared = (counts: Map<string, number>) => [...counts].filter(([, count]) => count > 1).map(([id]) => id);

describe('a sync', () => {
  it('is held while rows of the CRM cannot be read, names them, and adds none of them after its release', async () => {
    const before = await portalIds();
    const { id } = await client.requestJob('POST', '/apps/crm/v1/locations/sync', {
      body: { dryRun: false, scope: { city } },
    });
    const job = await client.waitForJob(id, ({ state }) => !['queued', 'running', 'scheduled'].includes(state));
    expect(job).toMatchObject({ state: 'held', error: null });
    const held = contract.result.parse(job.result);
    const unreadable = held.rows.filter(({ outcome }) => outcome === 'failed');
    expect(unreadable.length).toBeGreaterThan(20);
    expect(unreadable[0]).toMatchObject({
      key: expect.stringMatching(/^crm location \d+$/),
      reason: 'portalId: expected string, received array',
    });
    expect(held.failed).toBe(unreadable.length);
    expect(held.heldBecause).toEqual([
      expect.stringMatching(/^This is the first read of the listing portal/),
      expect.stringMatching(
        new RegExp(
          `^In the CRM: ${held.failed} locations could not be read, .* \\d+ \\(portalId: expected string, received array\\)`,
        ),
      ),
    ]);

    expect(await client.request('POST', `/jobs/${id}/release`)).toMatchObject({ status: 202 });
    const done = contract.result.parse((await client.waitForJob(id)).result);
    expect(done.created).toBeGreaterThan(5);
    const found = done.rows.filter(({ reason }) => reason.includes('has its portal id'));
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ outcome }) => outcome === 'skipped')).toBe(true);
    const after = await portalIds();
    expect(shared(after)).toEqual(shared(before));
    expect(after.size).toBe(before.size + done.created + done.updated);
  });
});

describe('an acquisition', () => {
  it('counts such rows with their ids and reasons; the doctor does too', async () => {
    const { id } = await client.requestJob('POST', '/apps/crm/v1/locations/acquire', { body: { full: true } });
    const { failed, rows } = acquisitionContract.result.parse((await client.waitForJob(id)).result);
    expect(failed).toBeGreaterThan(20);
    expect(rows).toContainEqual({
      key: expect.stringMatching(/^crm location \d+$/),
      outcome: 'failed',
      reason: 'portalId: expected string, received array',
    });
    const checks = (await coreChecks()).filter(({ name }) => name === 'mirrors');
    const [result] = await Promise.all(runChecks(checks, contextOf(service.systems)));
    expect(result?.findings).toEqual([
      expect.objectContaining({
        level: 'warning',
        found: expect.stringMatching(
          new RegExp(
            `^crm-locations: ${failed} rows have an unexpected form: \\d+ \\(portalId: expected string, received array\\), .* more$`,
          ),
        ),
      }),
    ]);
  });
});
