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
const StoredRow = z.object({
  ID: z.int(),
  TITLE: z.string(),
  UF_CRM_8_PORTAL_ID: z
    .string()
    .nullable()
    .transform(id => id ?? ''),
  UF_CRM_8_PARENT: z.unknown(),
});
/** The list shows the portal ids of these rows in an unexpected form. */
const isHidden = ({ ID, TITLE }: z.infer<typeof StoredRow>) => ID % 50 === 3 && TITLE.includes(city);

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

async function storedRows() {
  const { latest } = await sandbox.control.rows('crm', 'locations', 100_000);
  return z.array(StoredRow).parse(latest);
}

/** Adds a location with the title and parent of another one, and without its portal id. */
async function addLike({ TITLE, UF_CRM_8_PARENT }: z.infer<typeof StoredRow>): Promise<number> {
  const fields = { title: TITLE, ufCrm8Parent: UF_CRM_8_PARENT };
  const answer = await fetch(`${sandbox.url}/crm/rest/1/sandbox/crm.item.add`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ entityTypeId: 1222, fields }),
  });
  return z.object({ result: z.object({ item: z.object({ id: z.int() }) }) }).parse(await answer.json()).result.item.id;
}

/** Portal id → number of CRM locations that have it. */
async function portalIds(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { UF_CRM_8_PORTAL_ID: id } of await storedRows()) counts.set(id, (counts.get(id) ?? 0) + 1);
  counts.delete('');
  return counts;
}
const shared = (counts: Map<string, number>) => [...counts].filter(([, count]) => count > 1).map(([id]) => id);

describe('a sync', () => {
  it('is held while rows of the CRM cannot be read, names them, and gives no other location their portal ids', async () => {
    const hidden = (await storedRows()).find(isHidden);
    if (!hidden) throw new Error(`No location of ${city} has its portal id in a list.`);
    const added = await addLike(hidden);
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
    expect(found).toContainEqual({
      key: hidden.UF_CRM_8_PORTAL_ID,
      outcome: 'skipped',
      reason: expect.stringContaining(
        `CRM location ${added} was not linked, because CRM location ${hidden.ID} has its portal id`,
      ),
    });
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
