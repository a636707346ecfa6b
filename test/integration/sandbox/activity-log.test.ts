/** Tests the simulated log store with OpenSearch's official client. */
import { Client } from '@opensearch-project/opensearch';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
let store: Client;
const index = 'portal-activity';
const sort = [{ '@timestamp': { order: 'asc' as const } }, { 'event.id': { order: 'asc' as const } }];

beforeAll(async () => {
  store = new Client({
    node: `${sandbox.url}/activity-log`,
    auth: { username: 'sandbox', password: 'sandbox' },
    maxRetries: 0,
  });
});
afterEach(() => sandbox.control.reset('activity-log'));
afterAll(async () => {
  await store.close();
});

describe('the log store', () => {
  it('returns ten entries by default and counts to 10,000 by default', async () => {
    const { body } = await store.search({ index, body: {} });
    expect(body.hits.hits).toHaveLength(10);
    expect(body.hits.total).toEqual({ value: 8314, relation: 'eq' });
    const bounded = await store.search({ index, body: { track_total_hits: 500 } });
    expect(bounded.body.hits.total).toEqual({ value: 500, relation: 'gte' });
    const uncounted = await store.search({ index, body: { track_total_hits: false } });
    expect(uncounted.body.hits.total).toBeUndefined();
  });

  it('returns each entry once when read to the end page by page', async () => {
    const ids = new Set<string>();
    let after: (string | number)[] | undefined;
    let pages = 0;
    for (;;) {
      const body = { size: 1_000, sort, _source: ['event.id'], ...(after && { search_after: after }) };
      const { hits } = (await store.search({ index, body })).body.hits;
      for (const { _source } of hits) ids.add(JSON.stringify(_source));
      pages += 1;
      const last = hits.at(-1)?.sort;
      if (hits.length < 1_000 || !Array.isArray(last)) break;
      after = last.map(value => (typeof value === 'number' ? value : String(value)));
    }
    expect(pages).toBe(9);
    expect(ids.size).toBe(8314);
  });

  it('matches keywords exactly or case-insensitively, ranges, and combinations', async () => {
    const count = async (query: object) => {
      const { body } = await store.search({ index, body: { query, size: 0 } });
      return typeof body.hits.total === 'object' ? body.hits.total.value : undefined;
    };
    const email = 'VISITOR.21@mail.example';
    expect(await count({ term: { 'user.email.keyword': email } })).toBe(0);
    const anyCase = { term: { 'user.email.keyword': { value: email, case_insensitive: true } } };
    expect(await count(anyCase)).toBeGreaterThan(0);
    const may = { range: { '@timestamp': { gte: '2026-05-01T00:00:00Z', lt: '2026-06-01T00:00:00Z' } } };
    const inMay = (await count(may)) ?? 0;
    expect(inMay).toBeGreaterThan(3_000);
    expect(await count({ bool: { filter: [may], must_not: [{ exists: { field: 'user.crm_id' } }] } })).toBeLessThan(
      inMay,
    );
    expect(await count({ bool: { should: [anyCase, { terms: { 'user.crm_id': [5, 10] } }] } })).toBeGreaterThan(30);
  });

  it.each([
    ['a result window above 10,000', { from: 9_995, size: 10 }, 400, 'illegal_argument_exception'],
    ['sorting by a text field', { sort: ['user.email'] }, 400, 'illegal_argument_exception'],
    ['an unknown query', { query: { guess: {} } }, 400, 'parsing_exception'],
  ])('rejects %s', async (_, body, statusCode, type) => {
    await expect(store.transport.request({ method: 'POST', path: `/${index}/_search`, body })).rejects.toMatchObject({
      statusCode,
      body: { status: statusCode, error: { type, root_cause: [{ type }] } },
    });
  });

  it('rejects other indices, wrong credentials and too many calls with the vendor’s errors', async () => {
    const { href } = new URL(`${sandbox.url}/activity-log`);
    const unauthorised = new Client({ node: href, auth: { username: 'x', password: 'y' }, maxRetries: 0 });
    await expect(unauthorised.search({ index, body: {} })).rejects.toMatchObject({
      statusCode: 401,
      body: { error: { type: 'security_exception' } },
    });
    await unauthorised.close();
    await expect(store.search({ index: 'other', body: {} })).rejects.toMatchObject({
      statusCode: 404,
      body: { error: { type: 'index_not_found_exception' } },
    });
    await sandbox.control.fault('activity-log', { fault: 'limit' });
    await expect(store.search({ index, body: {} })).rejects.toMatchObject({
      statusCode: 429,
      body: { error: { type: 'es_rejected_execution_exception' } },
    });
  });

  it('returns partial results with 200 and withholds late entries, depending on its settings', async () => {
    const total = async () => (await store.search({ index, body: { size: 0 } })).body;
    await sandbox.control.settings('activity-log', { failedShards: 1 });
    expect(await total()).toMatchObject({
      timed_out: false,
      _shards: { total: 5, successful: 4, failed: 1 },
      hits: { total: { value: 6651 } },
    });
    await sandbox.control.settings('activity-log', { failedShards: 0, timesOut: true });
    expect(await total()).toMatchObject({ timed_out: true, _shards: { failed: 0 } });
    await sandbox.control.settings('activity-log', { timesOut: false, withholdLate: true });
    expect(await total()).toMatchObject({ hits: { total: { value: 8069 } } });
  });
});
