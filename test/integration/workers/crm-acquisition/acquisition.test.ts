/** The mirrors of the CRM's deals and locations are updated completely or not at all, also when the CRM fails. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DealSummaries } from '../../../../api/operations/crm/deal-summary.ts';
import { createCrmLocations } from '../../../../core/domain/crm/locations.ts';
import type { JobResource } from '../../../../core/jobs/resource.ts';
import { createSyncStates } from '../../../../core/sync/states.ts';
import handler from '../../../../workers/crm-acquisition/handler.ts';
import { useJob } from '../../../support/use-job.ts';

const wait = { prefer: 'wait=60' };

const { sandbox, service, client } = useJob('crm-acquisition', {
  handler,
  scopes: ['crm:sync', 'crm:read'],
  attempts: 1,
});
/** Dry runs, and then the first read of the deals. */
let planned: { deals: JobResource; locations: JobResource; counts: number[] };
let first: { total: number; job: JobResource; counts: number[] };

beforeAll(async () => {
  const [deals, locations] = [await acquireDeals('?dryRun=true'), await acquireLocations({ dryRun: true })];
  const tables = ['deal', 'deal_stage', 'crm_user', 'crm_location', 'staged_row'];
  planned = { deals, locations, counts: await Promise.all(tables.map(countOf)) };
  const [total, job] = [await totalDeals(), await acquireDeals()];
  first = { total, job, counts: await Promise.all(['deal', 'crm_user'].map(countOf)) };
});

const acquireDeals = (query = '') => client.requestJob('GET', `/apps/crm/v1/deals/acquire${query}`, { headers: wait });
const acquireLocations = (body = {}) =>
  client.requestJob('POST', '/apps/crm/v1/locations/acquire', { headers: wait, body });

/** Calls a method of the CRM directly. */
async function crm(method: string, parameters: object): Promise<unknown> {
  const answer = await fetch(`${sandbox.url}/crm/rest/1/sandbox/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
  return await answer.json();
}

/** The number of deals in the CRM. */
const totalDeals = async (): Promise<number> =>
  z.object({ total: z.int() }).parse(await crm('crm.deal.list', { filter: { '@CATEGORY_ID': [0, 1] } })).total;

const anyDeal = async (): Promise<number> => {
  const { rows } = await service.database.pool.query('select min(id)::int as id from deal');
  return z.array(z.object({ id: z.int() })).parse(rows)[0]?.id ?? 0;
};

const countOf = async (table: string): Promise<number> => {
  const { rows } = await service.database.pool.query(`select count(*)::int as count from ${table}`);
  return z.array(z.object({ count: z.int() })).parse(rows)[0]?.count ?? -1;
};
const fingerprintOf = async (table: string): Promise<string> => {
  const { rows } = await service.database.pool.query(
    `select md5(string_agg(t::text, '|' order by id)) as hash from ${table} t`,
  );
  return z.array(z.object({ hash: z.string() })).parse(rows)[0]?.hash ?? '';
};

describe('a dry run', () => {
  it('reports all rows as to be created and stores nothing', () => {
    const { deals, locations, counts } = planned;
    expect(deals).toMatchObject({ state: 'succeeded', result: { dryRun: true, full: true, matched: 0, deleted: 0 } });
    expect(locations).toMatchObject({ state: 'succeeded', result: { dryRun: true, full: true, matched: 0 } });
    for (const { result } of [deals, locations])
      expect(z.object({ created: z.int().min(100) }).safeParse(result).success).toBe(true);
    expect(counts).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('deals', () => {
  it('are read completely on the first run, in four requests, and then only the changes', async () => {
    const { total, job, counts } = first;
    expect(job).toMatchObject({
      state: 'succeeded',
      result: { what: 'deals', full: true, read: total, created: total, deleted: 0, failed: 0, rows: [] },
    });
    expect(total).toBeGreaterThan(2_500);
    expect(job.result).toHaveProperty('calls', 4);
    expect(counts).toEqual([total, 300]);

    await acquireDeals('?full=true');
    const id = await anyDeal();
    await crm('crm.deal.update', { id, fields: { OPPORTUNITY: '777.50' } });
    const second = await acquireDeals();
    expect(second).toMatchObject({ state: 'succeeded', result: { full: false, created: 0, updated: 1 } });
    const { rows } = await service.database.pool.query('select amount from deal where id = $1', [id]);
    expect(rows).toEqual([{ amount: '777.50' }]);
  });

  it('deleted in the CRM are removed by a full read', async () => {
    await acquireDeals('?full=true');
    const id = await anyDeal();
    await crm('crm.deal.delete', { id });
    expect(await acquireDeals()).toMatchObject({ result: { deleted: 0 } });
    expect(await acquireDeals('?full=true')).toMatchObject({
      state: 'succeeded',
      result: { full: true, deleted: 1, updated: 0, created: 0 },
    });
    const { rows } = await service.database.pool.query('select from deal where id = $1', [id]);
    expect(rows).toEqual([]);
  });

  it('are read by one job at a time; a prefetch request starts none', async () => {
    await sandbox.control.fault('crm', { fault: 'slow', times: 1, delayMs: 500 });
    const [one, other] = await Promise.all([
      client.request('GET', '/apps/crm/v1/deals/acquire'),
      client.request('GET', '/apps/crm/v1/deals/acquire'),
    ]);
    expect([one.status, other.status]).toEqual([202, 202]);
    expect(one.headers.get('cache-control')).toBe('no-store');
    const ids = [one, other].map(({ body }) => z.object({ id: z.string() }).parse(body).id);
    expect(ids[0]).toBe(ids[1]);
    await client.waitForJob(ids[0] ?? '');
    const ahead = await client.request('GET', '/apps/crm/v1/deals/acquire', { headers: { 'sec-purpose': 'prefetch' } });
    expect(ahead.status).toBe(403);
  });

  it('stay unchanged if the CRM has lost half of them, until the job is released', async () => {
    await acquireDeals('?full=true');
    const before = await countOf('deal');
    await sandbox.control.data('crm', 'deals', 'halve');
    const held = await acquireDeals('?full=true');
    expect(held).toMatchObject({
      state: 'held',
      result: {
        heldBecause: [
          expect.stringMatching(/^The CRM’s deals returned [\d,]+ rows; the last run read [\d,]+\.$/),
          expect.stringMatching(/^[\d,]+ of [\d,]+ rows would be deleted\.$/),
        ],
      },
    });
    expect(await countOf('deal')).toBe(before);
    const { body } = await client.request('GET', `/jobs/${held.id}/plan`);
    const name = expect.stringMatching(/^(primary|secondary), \d+\.\d\d AED, .+, .+$/);
    expect(body).toMatchObject({
      changes: [{ outcome: 'deleted', items: expect.arrayContaining([{ key: expect.any(String), name }]) }],
    });

    await client.requestJob('POST', `/jobs/${held.id}/release`);
    const released = await client.waitForJob(held.id);
    expect(released).toMatchObject({ state: 'succeeded', result: { deleted: expect.any(Number) } });
    expect(await countOf('deal')).toBeLessThan(before * 0.6);
    expect(await countOf('staged_row')).toBe(0);
  });

  it('a held job is cancelled by a newer one', async () => {
    await sandbox.control.data('crm', 'deals', 'reset');
    await acquireDeals('?full=true');
    await sandbox.control.data('crm', 'deals', 'empty');
    const held = await acquireDeals('?full=true');
    expect(held).toMatchObject({
      state: 'held',
      result: { heldBecause: ['The CRM’s deals returned no rows.', expect.any(String)] },
    });
    await sandbox.control.data('crm', 'deals', 'reset');
    expect(await acquireDeals('?full=true')).toMatchObject({ state: 'succeeded', result: { deleted: 0 } });
    expect(await client.job(held.id)).toMatchObject({ state: 'cancelled' });
    expect(await countOf('staged_row')).toBe(0);
  });
});

describe('a failing CRM', () => {
  beforeAll(async () => {
    // Deals that other tests have deleted or reset.
    await acquireDeals('?full=true');
  });

  it('is retried after transient errors; nothing is lost', async () => {
    await sandbox.control.fault('crm', { fault: 'error-500', path: 'batch', skip: 2, times: 1 });
    await sandbox.control.fault('crm', { fault: 'html', path: 'batch', skip: 3, times: 1 });
    await sandbox.control.fault('crm', { fault: 'malformed', path: 'batch', skip: 2, times: 1 });
    const total = await totalDeals();
    expect(await acquireDeals('?full=true')).toMatchObject({ state: 'succeeded', result: { read: total, deleted: 0 } });
  });

  it('is waited for when it limits the rate', async () => {
    await sandbox.control.fault('crm', { fault: 'limit', times: 2 });
    expect(await acquireDeals()).toMatchObject({ state: 'succeeded' });
  });

  it('that rejects our credentials fails the job without showing the secret', async () => {
    const before = await fingerprintOf('deal');
    await sandbox.control.fault('crm', { fault: 'unauthorized' });
    const failed = await acquireDeals('?full=true');
    expect(failed).toMatchObject({
      state: 'failed',
      error: { status: 502, detail: 'The CRM rejects our credentials: Wrong authorization data (NO_AUTH_FOUND).' },
    });
    expect(JSON.stringify(failed)).not.toMatch(/rest\/1|\/sandbox/);
    expect(await fingerprintOf('deal')).toBe(before);
  });
});

describe('locations', () => {
  const locations = () => createCrmLocations(service.database);

  beforeAll(() => acquireLocations({ full: true }));
  afterEach(() => sandbox.control.data('crm', 'locations', 'reset'));

  it('become a tree with ancestors, descendants and paths', async () => {
    const job = await acquireLocations({ full: true });
    expect(job).toMatchObject({ state: 'succeeded', result: { what: 'locations', full: true, failed: 0 } });
    const all = await locations().all();
    expect(job.result).toMatchObject({ read: all.length, calls: Math.ceil(all.length / 2_500) });
    expect(all.length).toBeGreaterThan(10_000);

    const property = all.find(({ type, path }) => type === 'property' && path.length >= 4);
    const lineage = await locations().lineage(property?.id ?? 0);
    expect(lineage.map(({ id }) => id)).toEqual(property?.path);
    expect(lineage.map(({ type }) => type)).toEqual(['city', 'community', 'sub-community', 'property']);
    const below = await locations().descendants(lineage[1]?.id ?? 0);
    expect(below.map(({ id }) => id)).toContain(property?.id);
    expect(below.every(({ path }) => path[1] === lineage[1]?.id)).toBe(true);
    const [city] = await locations().all();
    expect(city).toMatchObject({ type: 'city', parentId: null });
  });

  it('that move to another parent take their descendants along', async () => {
    const all = await locations().all();
    const community = all.find(({ type, path }) => type === 'community' && path.length === 2);
    const city = all.find(({ type, id }) => type === 'city' && id !== community?.parentId);
    const below = (await locations().descendants(community?.id ?? 0)).length;
    await crm('crm.item.update', { entityTypeId: 1222, id: community?.id, fields: { ufCrm8Parent: city?.id } });
    expect(await acquireLocations()).toMatchObject({ result: { full: false, updated: 1 } });
    expect(await locations().lineage(community?.id ?? 0)).toMatchObject([{ id: city?.id }, { id: community?.id }]);
    const moved = await locations().descendants(community?.id ?? 0);
    expect(moved).toHaveLength(below);
    expect(moved.every(({ path }) => path[0] === city?.id)).toBe(true);
  });

  it('with a missing parent, or in a cycle, become roots and conflicts in the report', async () => {
    const [one, two] = (await locations().all()).filter(({ type }) => type === 'property');
    await crm('crm.item.update', { entityTypeId: 1222, id: one?.id, fields: { ufCrm8Parent: 999_999 } });
    await crm('crm.item.update', { entityTypeId: 1222, id: two?.id, fields: { ufCrm8Parent: two?.id } });
    const job = await acquireLocations();
    const rows = z.object({ rows: z.array(z.object({ key: z.string(), outcome: z.string() })) }).parse(job.result);
    const keys = rows.rows.filter(({ outcome }) => outcome === 'conflict').map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining([String(one?.id), String(two?.id)]));
    expect(await locations().get(one?.id ?? 0)).toMatchObject({ path: [one?.id] });
    expect(await locations().get(two?.id ?? 0)).toMatchObject({ path: [two?.id] });
  });

  it('stay unchanged if the CRM returns nothing', async () => {
    const before = await fingerprintOf('crm_location');
    await sandbox.control.data('crm', 'locations', 'empty');
    const job = await acquireLocations({ full: true });
    expect(job).toMatchObject({
      state: 'held',
      result: { heldBecause: ['The CRM’s locations returned no rows.', expect.any(String)] },
    });
    expect(await fingerprintOf('crm_location')).toBe(before);
    expect((await client.request('DELETE', `/jobs/${job.id}`)).status).toBe(200);
  });
});

describe('summaries', () => {
  beforeAll(async () => {
    await acquireDeals('?full=true');
    await service.database.pool.query(`
      insert into deal (id, kind, pipeline_id, stage_id, outcome, amount, currency, assigned_user_id, created_at, modified_at)
      select id, 'primary', 0, 'WON', 'won', amount, currency, 999998, '2020-05-04T22:00:00Z', now()
      from (values (900001, 0.1, 'AED'), (900002, 0.2, 'AED'), (900003, 1000000.05, 'USD')) as given (id, amount, currency)`);
  });
  const ask = async (path: string) => {
    const reply = await client.request('GET', `/apps/crm/v1/deals/summary${path}`);
    return reply.status === 200 ? DealSummaries.parse(reply.body) : reply;
  };

  it('count every deal once, by user and stage, as of the last read', async () => {
    const state = await createSyncStates(service.database).read('crm-deals');
    const items = [];
    let cursor = '';
    do {
      const { body } = await client.request('GET', `/apps/crm/v1/deals/summary?limit=40${cursor}`);
      const page = DealSummaries.extend({ nextCursor: z.string().nullable() }).parse(body);
      expect(page.asOf).toBe(state?.asOf.toISOString());
      items.push(...page.items);
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(new Set(items.map(item => item.assignedUserId)).size).toBe(items.length);
    expect(items.reduce((sum, { deals }) => sum + deals, 0)).toBe(await countOf('deal'));
    for (const item of items) {
      expect(item.byStage.reduce((sum, { deals }) => sum + deals, 0)).toBe(item.deals);
      expect(item.byStage.filter(({ outcome }) => outcome === 'won').reduce((sum, { deals }) => sum + deals, 0)).toBe(
        item.won,
      );
    }
    expect(items[0]?.name).toMatch(/\w+ \w+/);
    expect(items[0]?.byStage[0]?.name).toMatch(/\w+/);
  });

  it('do not add amounts of different currencies', async () =>
    expect(await ask('/999998')).toMatchObject({
      items: [
        {
          assignedUserId: 999_998,
          name: null,
          deals: 3,
          won: 3,
          amount: '0.30',
          currency: 'AED',
          wonAmount: '0.30',
          otherAmounts: [{ amount: '1000000.05', currency: 'USD', deals: 1 }],
          byStage: [{ stage: 'WON', name: 'Commission paid', amount: '0.30', otherAmounts: [{ deals: 1 }] }],
        },
      ],
    }));

  it('can be limited to days in Dubai and to a market', async () => {
    const deals = async (query: string) => {
      const { items } = DealSummaries.parse(await ask(`/999998?${query}`));
      return items[0]?.deals ?? 0;
    };
    // 22:00 UTC is 02:00 of the next day in Dubai.
    expect(await deals('from=2020-05-05&to=2020-05-05')).toBe(3);
    expect(await deals('from=2020-05-04&to=2020-05-04')).toBe(0);
    expect(await deals('from=2020-05-04T21:59:00Z&to=2020-05-04T22:00:00Z')).toBe(0);
    expect(await deals('from=2020-05-04T22:00:00%2B00:00')).toBe(3);
    expect(await deals('kind=primary')).toBe(3);
    expect(await deals('kind=secondary')).toBe(0);
  });

  it('are empty for a known user without deals; 404 for an unknown user, 422 for invalid input', async () => {
    expect(await ask('/999998?kind=secondary')).toMatchObject({ items: [], asOf: expect.any(String) });
    expect(await ask('/777777777')).toMatchObject({ status: 404 });
    expect(await ask('?from=yesterday&kind=rental')).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/from' }, { pointer: '/kind' }] },
    });
    expect(await ask('?from=2026-02-01&to=2026-01-01')).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/to', in: 'query' }] },
    });
    expect(await ask('?to=0000-01-01')).toMatchObject({ status: 422 });
    expect(await ask('/unknown')).toMatchObject({ status: 422 });
  });
});
