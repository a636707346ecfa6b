/** Location sync mirrors the listing portal and adds locations to the CRM: completely or not at all, each once. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createCrmLocations } from '../../../../core/domain/crm/locations.ts';
import { createPortalLocations, type KnownLocation } from '../../../../core/domain/locations/portal-locations.ts';
import type { CrmLocation } from '../../../../core/integrations/crm/locations.ts';
import crmSystem from '../../../../core/integrations/crm/system.ts';
import contract from '../../../../workers/location-sync/contract.ts';
import handler from '../../../../workers/location-sync/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { jobContext, takenOverJobContext } from '../../../support/job-context.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useService } from '../../../support/test-service.ts';

// One attempt, so that a job with a broken system ends in time for a test.
const oneAttempt = { ...contract, attempts: 1, backoffMs: 10 };
type Report = z.output<typeof contract.result>;
const held = ({ state }: { state: string }) => state === 'held';

const city = 'Umm Al Quwain';

const sandbox = useSandbox();
const service = useService('location-sync', () => ({
  sandboxUrl: sandbox.url,
  contracts: new Map([[contract.kind, oneAttempt]]),
  env: {
    LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
    CRM_REQUESTS_PER_SECOND: '100',
    CRM_REQUEST_BURST: '10000',
  },
}));
let client: ApiClient;
let first: { report: Report; mirrored: KnownLocation[] };

beforeAll(async () => {
  service.startWorker([{ contract: oneAttempt, handler: await handler.open({}, service) }]);
  client = await service.client(['crm:sync', 'portal:read']);
  await disableLimits();
  first = { report: await firstRead(city), mirrored: await mirrored() };
});
afterEach(async () => {
  await sandbox.control.reset('listing-portal');
  await disableLimits();
});

/** Disables the rate limits. */
async function disableLimits(): Promise<void> {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('listing-portal', { callLimit: false });
}

const paths = { update: '/apps/listing-portal/v1/locations/update', sync: '/apps/crm/v1/locations/sync' };
const start = (what: keyof typeof paths, city: string, dryRun = false) =>
  client.requestJob('POST', paths[what], { body: { dryRun, scope: { city } } });
const ended = async (what: keyof typeof paths, city: string, dryRun = false) =>
  await client.waitForJob((await start(what, city, dryRun)).id);
async function report(what: keyof typeof paths, city: string, dryRun = false) {
  const job = await ended(what, city, dryRun);
  expect(job).toMatchObject({ state: 'succeeded', error: null });
  return reportOf(job);
}
async function firstRead(city: string) {
  const job = await client.releasedJob((await start('update', city)).id);
  expect(job).toMatchObject({ state: 'succeeded', error: null });
  return reportOf(job);
}
const reportOf = (job: { result: unknown }): Report => contract.result.parse(job.result);

async function mirrored(city?: string) {
  const mirror = createPortalLocations(service.database);
  return await mirror.known(await mirror.ids(city));
}
const copied = async (city: string) => (await mirrored(city)).filter(({ gone }) => !gone).length;

const inMirror = () => createCrmLocations(service.database).all();
const crm = () => crmSystem.client(service.systems).locations;
async function crmRows(): Promise<CrmLocation[]> {
  const rows: CrmLocation[] = [];
  for await (const chunk of crm().read()) rows.push(...chunk.rows);
  return rows;
}

describe('an update of the mirror', () => {
  it('reads one city completely, in both languages, as a tree', () => {
    expect(first.report).toMatchObject({ read: 126, created: 126, updated: 0, deleted: 0 });
    const all = first.mirrored;
    expect(all).toHaveLength(126);
    expect(all.every(({ places, nameAr }) => places[0]?.name === city && nameAr !== null)).toBe(true);
    expect(all.filter(({ places }) => places.length === 4).length).toBeGreaterThan(10);
  });

  it('changes nothing when it is repeated', async () => {
    const again = await report('update', city);
    expect(again).toMatchObject({ matched: 126, created: 0, updated: 0, deleted: 0, rows: [] });
    expect(again.calls).toBeLessThan(40);
  });

  it('lists new locations of a dry run as created', async () => {
    const { rows, created } = await report('update', 'Ras Al Khaimah', true);
    expect(created).toBeGreaterThan(100);
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
    expect(await copied('Ras Al Khaimah')).toBe(0);
  });

  it('changes nothing if a page fails', async () => {
    await sandbox.control.fault('listing-portal', { fault: 'error-500', path: 'page=2', times: 100 });
    const { id } = await start('update', 'Ras Al Khaimah');
    const failed = async () => (await sandbox.control.requests('listing-portal')).byStatus['500'] ?? 0;
    await expect.poll(failed).toBeGreaterThan(0);
    expect(await copied('Ras Al Khaimah')).toBe(0);
    await client.request('DELETE', `/jobs/${id}`);
    await client.waitForJob(id);
  });

  it('changes nothing if another run has taken the job over', async () => {
    const open = await handler.open({}, service);
    const payload = { what: 'update', city: 'Ras Al Khaimah', dryRun: false } as const;
    const firstRead = await open.handle(payload, jobContext());
    const plan = 'held' in firstRead ? firstRead.held.plan : expect.fail('the first read is not held');
    const released = { plan: JSON.parse(JSON.stringify(plan)), by: 'test', at: new Date() };
    const work = open.handle(payload, { ...takenOverJobContext(), released });
    await expect(work).rejects.toThrow('another run took the job over');
    expect(await copied('Ras Al Khaimah')).toBe(0);
  });

  it('fails and changes nothing if the portal returns a page twice', async () => {
    await sandbox.control.settings('listing-portal', { repeatedPage: 2 });
    const job = await ended('update', city);
    expect(job).toMatchObject({
      state: 'failed',
      error: { status: 502, detail: expect.stringContaining('the pages returned 100 of 118 locations') },
    });
    expect(await copied(city)).toBe(126);
  });

  it('is held if the portal returns nothing, and changes nothing when it is cancelled', async () => {
    await sandbox.control.data('listing-portal', 'locations', 'empty');
    const { id } = await start('update', city);
    const job = await client.waitForJob(id, held);
    expect(reportOf(job)).toMatchObject({
      read: 0,
      deleted: 126,
      heldBecause: ['The listing portal returned no rows.', '126 of 126 rows would be deleted.'],
    });
    await client.request('DELETE', `/jobs/${id}`);
    expect(await copied(city)).toBe(126);
  });

  it('is held if the portal has shrunk; after a release it marks gone locations, and restores them later', async () => {
    await sandbox.control.data('listing-portal', 'locations', 'halve');
    const { id } = await start('update', city);
    const { deleted, read, rows } = reportOf(await client.waitForJob(id, held));
    expect(read).toBeLessThan(100);
    expect(deleted).toBe(126 - read);
    expect(rows).toHaveLength(deleted);
    const [gone] = (await service.records.plan(id))?.changes ?? [];
    expect(gone).toMatchObject({
      outcome: 'deleted',
      reason: expect.stringMatching(/^No longer in the listing portal/),
    });
    expect(gone?.items).toHaveLength(deleted);
    expect(gone?.items[0]?.name).toMatch(new RegExp(`, ${city}$`));
    expect(await copied(city)).toBe(126);

    await client.request('POST', `/jobs/${id}/release`);
    expect(reportOf(await client.waitForJob(id))).toMatchObject({ deleted });
    expect(await copied(city)).toBe(read);

    await sandbox.control.reset('listing-portal');
    await disableLimits();
    expect(await report('update', city)).toMatchObject({ created: deleted, matched: read });
    expect(await copied(city)).toBe(126);
  });
});

describe('a sync with the CRM', () => {
  let before: CrmLocation[];
  let planned: Report;
  /** The CRM and its mirror after the dry run. */
  let unchanged: { rows: CrmLocation[]; mirrored: number };
  let done: Report;
  let after: CrmLocation[];

  beforeAll(async () => {
    before = await crmRows();
    planned = await report('sync', city, true);
    unchanged = { rows: await crmRows(), mirrored: (await inMirror()).length };
    done = await report('sync', city);
    after = await crmRows();
  });

  it('reports the plan of a dry run and changes nothing', () => {
    const { created, updated, rows, dryRun } = planned;
    expect(dryRun).toBe(true);
    expect(created).toBeGreaterThan(5);
    expect(rows.filter(({ outcome }) => outcome === 'created')).toHaveLength(created);
    expect(rows.filter(({ outcome }) => outcome === 'updated')).toHaveLength(updated);
    expect(unchanged).toEqual({ rows: before, mirrored: 0 });
  });

  it('adds missing locations below their parents, and links existing ones', async () => {
    expect(done).toMatchObject({ created: planned.created, updated: planned.updated, failed: 0 });
    expect(after).toHaveLength(before.length + done.created);
    const rowOf = new Map(after.map(row => [row.portalId, row]));
    for (const { id, places, nameAr } of await mirrored(city)) {
      const row = rowOf.get(String(id));
      if (!row || before.some(old => old.id === row.id)) continue;
      const above = places.at(-2);
      expect(row.parentId).toBe(above ? rowOf.get(String(above.id))?.id : null);
      expect(row).toMatchObject({
        nameAr,
        title: places
          .map(({ name }) => name)
          .reverse()
          .join(', '),
      });
    }
  });

  it('changes nothing when it is repeated; the mirror of the CRM is then equal to the CRM', async () => {
    const rows = await crmRows();
    expect(await report('sync', city)).toMatchObject({ created: 0, updated: 0, failed: 0 });
    expect(await crmRows()).toEqual(rows);
    const facts = (row: { id: number; portalId: string | null; title: string; parentId: number | null }) =>
      `${row.id} ${row.portalId} ${row.parentId} ${row.title}`;
    expect((await inMirror()).map(facts).sort()).toEqual(rows.map(facts).sort());
  });

  it('adds each location once if the CRM’s response to the additions is lost', async () => {
    await firstRead('Fujairah');
    const { count } = await sandbox.control.rows('crm', 'locations');
    const { updated } = await report('sync', 'Fujairah', true);
    // The first five batch requests read the CRM, the next two look for the portal ids of links and link them, and one looks
    // for the portal ids of additions.
    const skip = 6 + 2 * Math.ceil(updated / 50);
    await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'batch', skip });
    const batches = async () => (await sandbox.control.requests('crm')).byPath['POST /rest/1/sandbox/batch'] ?? 0;
    const batchesBefore = await batches();
    const { created } = await report('sync', 'Fujairah');
    expect(created).toBeGreaterThan(2);
    // Each addition without an answer is looked up by itself.
    expect((await batches()) - batchesBefore).toBeGreaterThanOrEqual(skip + 1 + created);
    expect((await sandbox.control.rows('crm', 'locations')).count).toBe(count + created);
    const ids = (await crmRows()).flatMap(({ portalId }) => portalId ?? []);
    const fujairah = new Set((await mirrored('Fujairah')).map(({ id }) => String(id)));
    const ours = ids.filter(id => fujairah.has(id));
    expect(ours).toHaveLength(new Set(ours).size);
    expect(await report('sync', 'Fujairah')).toMatchObject({ created: 0, updated: 0 });
  });

  it('reports a location that the CRM rejects as failed, skips those below it, and adds them in the next run', async () => {
    await firstRead('Ajman');
    const toAdd = (await report('sync', 'Ajman', true)).created;
    const fault = { fault: 'command-error', path: 'crm.item.add', code: 'ERROR_CORE', delayMs: 1 } as const;
    await sandbox.control.fault('crm', fault);
    const { created, failed, skipped, rows } = await report('sync', 'Ajman');
    expect(failed).toBe(1);
    expect(created + failed + skipped).toBe(toAdd);
    const rejected = rows.find(({ outcome }) => outcome === 'failed')?.key ?? '';
    expect(await crm().findByPortalId(rejected)).toEqual([]);
    expect((await inMirror()).filter(({ portalId }) => portalId === rejected)).toEqual([]);
    expect(await report('sync', 'Ajman')).toMatchObject({ created: failed + skipped, failed: 0 });
  });

  it('reports a link that the CRM rejects as failed, and links it in the next run', async () => {
    await firstRead('Sharjah');
    const { updated: toLink } = await report('sync', 'Sharjah', true);
    expect(toLink).toBeGreaterThan(0);
    await sandbox.control.fault('crm', {
      fault: 'command-error',
      path: 'crm.item.update',
      code: 'ERROR_CORE',
      delayMs: 1,
    });
    const { updated, failed, rows } = await report('sync', 'Sharjah');
    expect({ updated, failed }).toEqual({ updated: toLink - 1, failed: 1 });
    const rejected = rows.find(({ outcome }) => outcome === 'failed')?.key ?? '';
    expect(await crm().findByPortalId(rejected)).toEqual([]);
    expect(await report('sync', 'Sharjah')).toMatchObject({ updated: 1, failed: 0 });
  });

  it('adds a location again that was deleted in the CRM', async () => {
    const ids = new Set((await mirrored(city)).map(({ id }) => String(id)));
    const added = (await crmRows()).findLast(({ portalId }) => ids.has(portalId ?? ''));
    await fetch(`${sandbox.url}/crm/rest/1/sandbox/crm.item.delete`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ entityTypeId: 1222, id: added?.id }),
    });
    expect(await crm().get(added?.id ?? 0)).toBeUndefined();
    expect(await report('sync', city)).toMatchObject({ created: 1 });
    expect(await crm().findByPortalId(added?.portalId ?? '')).toHaveLength(1);
  });

  it('uses location aliases for ambiguous matches', async () => {
    await firstRead('Al Ain');
    const inCrm = new Set((await crmRows()).map(({ portalId }) => portalId));
    const missing = (await mirrored('Al Ain')).find(({ id, type }) => type === 'tower' && !inCrm.has(String(id)));
    const title =
      missing?.places
        .map(({ name }) => name)
        .reverse()
        .join(', ') ?? '';
    const twin = { type: 'property', parentId: null, title, nameAr: null, portalId: null } as const;
    await crm().add(twin);
    const chosen = await crm().add({ ...twin, title: title.toUpperCase() });

    const undecided = await report('sync', 'Al Ain', true);
    const key = String(missing?.id);
    expect(undecided.rows.find(row => row.key === key)).toMatchObject({ outcome: 'ambiguous' });

    const decision = { portalLocationId: missing?.id, crmLocationId: chosen.id };
    const decided = await client.request('POST', '/apps/crm/v1/locations/aliases', { body: decision });
    expect(decided).toMatchObject({ status: 201, body: { ...decision, decidedBy: client.clientId } });
    const decidedReport = await report('sync', 'Al Ain');
    expect(decidedReport.rows.map(row => row.key)).not.toContain(key);
    expect((await crm().findByPortalId(key)).map(({ id }) => id)).toEqual([chosen.id]);
  });

  it('is held while the CRM returns too few locations, and continues after its release', async () => {
    await sandbox.control.data('crm', 'locations', 'halve');
    const copyBefore = await inMirror();
    const { id } = await start('sync', city);
    const job = await client.waitForJob(id, held);
    expect(reportOf(job).heldBecause?.join()).toContain('CRM');
    const [gone] = (await service.records.plan(id))?.changes ?? [];
    expect(gone?.outcome).toBe('deleted');
    const titles = new Set(copyBefore.map(({ title }) => title));
    expect(gone?.items.filter(({ name }) => !titles.has(name))).toEqual([]);
    expect(await inMirror()).toHaveLength(copyBefore.length);

    await client.request('POST', `/jobs/${id}/release`);
    const released = await client.waitForJob(id);
    expect(released).toMatchObject({ state: 'succeeded', error: null });
    expect(reportOf(released).created).toBeGreaterThan(50);
    expect((await inMirror()).length).toBeLessThan(copyBefore.length);
    await sandbox.control.reset('crm');
    await disableLimits();
    expect(await report('sync', city)).toMatchObject({ created: done.created, updated: done.updated, failed: 0 });
  });
});
