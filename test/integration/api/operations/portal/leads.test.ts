/** Updates and enrichment of leads over HTTP, with the sandbox's CRM, do-not-call registry and log store. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createPortalLocations } from '../../../../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../../../../core/integrations/crm/system.ts';
import type { JobResource } from '../../../../../core/jobs/resource.ts';
import leadsJob from '../../../../../workers/leads/contract.ts';
import handler from '../../../../../workers/leads/handler.ts';
import { type ServiceProcess, stopProcesses } from '../../../../support/processes.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { startTestService, type TestService, useClient, useService } from '../../../../support/test-service.ts';
import { startWorkerProcess } from '../../../../support/worker-process.ts';

/** Without rate limits, in the sandbox and in the service. */
const pace = { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' };
const contracts = new Map([[leadsJob.kind, leadsJob]]);
const base = '/apps/portal/v1/leads';

const sandbox = useSandbox();
const service = useService('leads', () => ({ sandboxUrl: sandbox.url, contracts, env: pace }));
const client = useClient(service, ['leads']);
/** Ids of all leads of the CRM, in the order of its list. */
let ids: number[];

beforeAll(async () => {
  service.startWorker([{ contract: leadsJob, handler: await handler.open({}, service) }]);
  await writeLocations(service);
});
beforeEach(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  ids = await leadIds();
});
afterEach(async () => {
  for (const system of ['crm', 'telephony', 'activity-log']) await sandbox.control.reset(system);
});

async function writeLocations({ database }: TestService): Promise<void> {
  const dubai = { id: 1, type: 'city', name: 'Dubai', nameAr: 'دبي' };
  const marina = { id: 2, type: 'community', name: 'Dubai Marina', nameAr: null };
  const creek = { id: 3, type: 'community', name: 'Dubai Creek Harbour', nameAr: null };
  const put = [
    { ...dubai, places: [dubai], coordinates: null },
    ...[marina, creek].map(place => ({ ...place, places: [dubai, place], coordinates: null })),
  ];
  await createPortalLocations(database).change(
    { put, gone: [] },
    { city: undefined, read: put.length, asOf: new Date() },
  );
}

async function leadIds(): Promise<number[]> {
  const answer = await fetch(`${sandbox.url}/control/crm/data/leads?limit=1000`);
  const Rows = z.object({ latest: z.array(z.object({ ID: z.int() })) });
  return Rows.parse(await answer.json()).latest.map(({ ID }) => ID);
}

const crm = () => crmSystem.client(service.systems);
async function lead(id: number) {
  const found = await crm().leads.get(id);
  if (!found) throw new Error(`there is no lead ${id}`);
  return found;
}
const idAt = (index: number): number => ids[index] ?? 0;

async function run(operation: 'update' | 'enrich' | 'queue', body: object) {
  const { id } = await client.requestJob('POST', `${base}/${operation}`, { body });
  const job = await client.waitForJob(id);
  expect(job).toMatchObject({ state: 'succeeded' });
  return reportOf(job);
}

const reportOf = (job: JobResource) => ({ ...leadsJob.result.parse(job.result), warnings: job.warnings });

describe('an update', () => {
  it('changes the given fields only', async () => {
    const id = idAt(3);
    const before = await lead(id);
    const fields = { status: 'IN_PROCESS', comments: 'Wants a sea view.', utm: { campaign: 'creek' } };
    const report = await run('update', { id, fields });
    expect(report).toMatchObject({ read: 1, updated: 1, failed: 0 });
    expect(report.warnings).toEqual([]);
    expect(report.leads).toMatchObject([
      { id, update: { outcome: 'updated', fields: expect.arrayContaining(['comments']) }, enrichment: null },
    ]);
    expect(await lead(id)).toMatchObject({
      title: before.title,
      phones: before.phones,
      ...fields,
      utm: { ...before.utm, campaign: 'creek' },
    });
  });

  it('with dryRun reports the changes of update and enrichment, and changes nothing', async () => {
    const id = idAt(5);
    const before = await lead(id);
    const body = { id, fields: { title: 'Never written', phones: ['050 222 3344'] }, dryRun: true };
    const report = await run('queue', body);
    expect(report).toMatchObject({ dryRun: true, read: 1, updated: 1, failed: 0 });
    expect(report.leads).toMatchObject([
      {
        id,
        update: { outcome: 'updated', fields: expect.arrayContaining(['title', 'phones']) },
        enrichment: { outcome: 'updated' },
      },
    ]);
    expect(await lead(id)).toEqual(before);
  });

  it('that repeats an earlier one changes nothing and adds no phone twice', async () => {
    const id = idAt(4);
    const body = { id, fields: { title: 'Call on Monday', phones: ['050 765 4321'], amount: '1500000.00' } };
    await run('update', body);
    const once = await lead(id);
    expect(once.phones).toContain('+971507654321');
    const again = await run('update', body);
    expect(again).toMatchObject({ matched: 1, updated: 0, leads: [{ update: { outcome: 'same', fields: [] } }] });
    expect(await lead(id)).toEqual(once);
  });

  it('of a lead that the CRM does not have fails for that lead only', async () => {
    const report = await run('update', {
      leads: [
        { id: idAt(5), fields: { title: 'One' } },
        { id: 99_999_999, fields: { title: 'Two' } },
        { id: idAt(6), fields: { title: 'Three' } },
      ],
    });
    expect(report).toMatchObject({ read: 3, updated: 2, failed: 1 });
    expect(report.leads.map(({ update }) => update?.outcome)).toEqual(['updated', 'not-found', 'updated']);
    expect(report.rows).toContainEqual({ key: '99999999', outcome: 'failed', reason: 'The CRM has no such lead.' });
  });

  it('of 1,000 leads makes at most 33 calls and reports the leads in the order of the request', async () => {
    const missing = Array.from({ length: 1_000 - ids.length }, (_, index) => 50_000_000 + index);
    const leads = [...ids, ...missing].map(id => ({ id, fields: { sourceDescription: 'Checked' } }));
    const report = await run('update', { leads });
    expect(report).toMatchObject({ read: 1_000, updated: ids.length, failed: missing.length });
    expect(report.calls).toBeLessThanOrEqual(33);
    expect(report.leads.map(({ id }) => id)).toEqual(leads.map(({ id }) => id));
  });
});

describe('enrichment', () => {
  /** Creates a lead for which the enrichment can determine every field. */
  async function richLead(phone: string) {
    const { latest } = await sandbox.control.rows('activity-log', 'activities');
    const users = (await crm().users.all()).filter(user => user.active);
    const agent = users.find(({ email }) => email !== null);
    const active = /"email":"([^"]+@mail\.example)"/i.exec(JSON.stringify(latest))?.[1];
    const id = await crm().leads.add({
      title: 'Marina Rossi: flat in Dubai Creek Harbour',
      firstName: 'Marina',
      lastName: 'Rossi',
      phones: [phone],
      emails: [active ?? ''],
      comments: `Asked ${agent?.email?.toUpperCase()} about a view.`,
    });
    return { id, agent };
  }

  it('adds country, phone, do-not-call status, agent, locations and activity; a repeat changes nothing', async () => {
    const { id, agent } = await richLead('050 123 4561');
    const report = await run('enrich', { id });
    expect(report).toMatchObject({ read: 1, updated: 1, failed: 0, warnings: [] });
    const enriched = await lead(id);
    expect(enriched).toMatchObject({
      phones: ['050 123 4561', '+971501234561'],
      country: 'AE',
      dncStatus: expect.stringMatching(/^(listed|clear|unknown)$/),
      matchedAgent: `${agent?.name} (${agent?.id})`,
      interestedLocations: 'Dubai Creek Harbour, Dubai',
      activitySummary: expect.stringMatching(/^\d+ actions?, last on 2026-0[45]-\d\d: [a-z]+ [a-z]+ \d+/),
    });
    expect(report.rows[0]?.reason).toMatch(/^enrichment: .*activitySummary/);
    expect(await run('enrich', { leads: [{ id }] })).toMatchObject({ matched: 1, updated: 0 });
    expect(await lead(id)).toEqual(enriched);
  });

  it('omits the fields from the registry and the log store with warnings while both are down', async () => {
    const { id } = await richLead('050 123 4562');
    await sandbox.control.fault('telephony', { fault: 'unauthorized', times: 5 });
    await sandbox.control.fault('activity-log', { fault: 'unauthorized', times: 5 });
    const report = await run('enrich', { id });
    expect(report.leads).toMatchObject([
      { enrichment: { outcome: 'updated', leftOut: ['dncStatus', 'activitySummary'] } },
    ]);
    expect(report.warnings.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('The do-not-call registry was not available'),
      expect.stringContaining('The log store was not available'),
    ]);
    expect(await lead(id)).toMatchObject({ country: 'AE', dncStatus: null, activitySummary: null });
  });

  it('matches the active assigned user when the lead names no other agent', async () => {
    const some = ids.slice(0, 60).map(id => ({ id }));
    const report = await run('enrich', { leads: some });
    expect(report).toMatchObject({ read: 60, failed: 0 });
    expect(report.updated).toBeGreaterThan(50);
    const users = new Map((await crm().users.all()).map(user => [user.id, user]));
    const leads = await crm().leads.getMany(ids.slice(0, 60));
    for (const { assignedUserId, matchedAgent } of leads.values()) {
      const user = users.get(assignedUserId ?? 0);
      expect(matchedAgent).toBe(user?.active ? `${user.name} (${user.id})` : null);
    }
    expect(await run('enrich', { leads: some })).toMatchObject({ matched: 60, updated: 0 });
  });
});

describe('the queue', () => {
  it('enriches a lead with the fields that it has after its update', async () => {
    const id = idAt(7);
    const report = await run('queue', { id, fields: { comments: 'A flat in Dubai Marina, please.' } });
    expect(report.leads).toMatchObject([
      {
        update: { outcome: 'updated', fields: ['comments'] },
        enrichment: { outcome: 'updated', fields: expect.arrayContaining(['interestedLocations']) },
      },
    ]);
    expect(report.rows).toEqual([
      { key: String(id), outcome: 'updated', reason: expect.stringMatching(/^update: comments; enrichment: /) },
    ]);
    expect(await lead(id)).toMatchObject({ interestedLocations: 'Dubai Marina, Dubai' });
  });

  it('does not enrich a lead whose update failed, and enriches the others', async () => {
    const report = await run('queue', {
      leads: [
        { id: 99_999_999, fields: { title: 'Unknown' } },
        { id: idAt(8), fields: { title: 'Known' } },
      ],
    });
    expect(report.leads).toMatchObject([
      { update: { outcome: 'not-found' }, enrichment: { outcome: 'not-run' } },
      { update: { outcome: 'updated' }, enrichment: { outcome: 'updated' } },
    ]);
  });

  it('fails the job and enriches nothing while the CRM rejects the credentials', async () => {
    await sandbox.control.fault('crm', { fault: 'unauthorized', times: 50 });
    const { id } = await client.requestJob('POST', `${base}/queue`, { body: { id: idAt(9), fields: { title: 'x' } } });
    expect(await client.waitForJob(id)).toMatchObject({ state: 'failed', error: { status: 502 } });
    expect((await sandbox.control.requests('activity-log')).total).toBe(0);
  });

  it('continues after a worker was killed and reports every lead', async () => {
    const other = await startTestService('leads killed', { sandboxUrl: sandbox.url, contracts, env: pace });
    const processes: ServiceProcess[] = [];
    const start = () => {
      const worker = startWorkerProcess(other, sandbox.url, ['leads'], pace);
      processes.push(worker);
      return worker;
    };
    try {
      const by = await other.client(['leads']);
      const leads = ids.slice(0, 300).map(id => ({ id, fields: { title: `Lead ${id}`, phones: ['+971501112233'] } }));
      const { id } = await by.requestJob('POST', `${base}/update`, { body: { leads } });
      const first = start();
      await by.waitForJob(id, job => (job.progress?.done ?? 0) >= 50 || job.state === 'succeeded');
      first.kill('SIGKILL');
      await first.ended;
      start();
      const job = await by.waitForJob(id);
      expect(job.state).toBe('succeeded');
      const report = reportOf(job);
      expect(report).toMatchObject({ read: 300, failed: 0 });
      expect(report.updated + report.matched).toBe(300);
      const found = await crm().leads.getMany(ids.slice(0, 300));
      for (const { id: leadId, title, phones } of found.values()) {
        expect(title).toBe(`Lead ${leadId}`);
        expect(phones.filter(phone => phone === '+971501112233')).toHaveLength(1);
      }
    } finally {
      await stopProcesses(processes);
      await other.close();
    }
  });
});

describe('an invalid request', () => {
  it('returns 422 with a pointer to each error', async () => {
    const body = { leads: [{ id: 1, fields: { phonee: '1' } }, { id: 'x' }] };
    expect(await client.request('POST', `${base}/queue`, { body })).toMatchObject({
      status: 422,
      body: {
        errors: [
          { pointer: '/leads/0/fields', detail: 'must contain at least one field' },
          { pointer: '/leads/1/id' },
          { pointer: '/leads/1/fields' },
          { pointer: '/leads/0/fields/phonee', detail: 'is unknown; did you mean phones?' },
        ],
      },
    });
  });
});
