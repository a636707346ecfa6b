/** What the log store receives, and how its answers are read. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ActivityLog } from '../../../../../core/integrations/activity-log/system.ts';
import activityLog from '../../../../../core/integrations/activity-log/system.ts';
import { once, openClient, type Reply, useVendor, vendorContext } from '../../../../support/vendor.ts';

const search = 'POST /portal-activity/_search';
const at = '2026-01-30T10:00:00.000Z';
const range = { from: new Date('2026-01-30T00:00:00Z'), to: new Date('2026-01-31T00:00:00Z') };

const vendor = await useVendor();
let log: ActivityLog;

beforeEach(() => {
  log = openClient(activityLog, { ACTIVITY_LOG_URL: vendor.url });
});

const sources = (...ids: string[]) => ids.map(id => ({ '@timestamp': at, event: { id, action: 'listing.viewed' } }));

/** Entries with the sort values `[0, id]`. */
const hits = (ids: readonly string[], total = ids.length, change: object = {}): Reply => ({
  json: {
    timed_out: false,
    _shards: { failed: 0 },
    hits: {
      total: { value: total, relation: 'eq' },
      hits: sources(...ids).map((_source, index) => ({ _source, sort: [0, ids[index]] })),
    },
    ...change,
  },
});
const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => String(from + index));

describe('the entries of a person', () => {
  it('are those with any of the keys, newest first', async () => {
    vendor.on(search, hits(['a'], 70));
    const keys = { crmIds: [1, 2], emails: ['a@example.com', 'b@example.com'], phones: ['+971501234567'] };
    const page = await once(() => log.ofPerson(keys, 5));
    expect([page.total, page.activities.map(({ id }) => id)]).toEqual([70, ['a']]);
    const email = (value: string) => ({ term: { 'user.email.keyword': { value, case_insensitive: true } } });
    expect(vendor.received[0]?.body).toEqual({
      query: {
        bool: {
          filter: [
            {
              bool: {
                should: [
                  { terms: { 'user.crm_id': [1, 2] } },
                  email('a@example.com'),
                  email('b@example.com'),
                  { terms: { 'user.phone.keyword': ['+971501234567'] } },
                ],
                minimum_should_match: 1,
              },
            },
          ],
        },
      },
      size: 5,
      sort: [{ '@timestamp': 'desc' }, { 'event.id': 'desc' }],
      _source: [
        '@timestamp',
        'event.id',
        'user.crm_id',
        'user.email',
        'user.phone',
        'event.action',
        'listing.reference',
      ],
      track_total_hits: true,
      timeout: '10s',
    });
  });

  it.each([
    [{ crmIds: [1] }, [{ terms: { 'user.crm_id': [1] } }]],
    [{ crmIds: [], phones: ['+97150'] }, [{ terms: { 'user.phone.keyword': ['+97150'] } }]],
    [{ phones: ['+97150'] }, [{ terms: { 'user.phone.keyword': ['+97150'] } }]],
  ])('with %j are searched for by these keys only', async (keys, should) => {
    vendor.on(search, hits([]));
    await once(() => log.ofPerson(keys, 5));
    const { query } = Object(vendor.received[0]?.body);
    expect(query.bool.filter[0].bool.should).toEqual(should);
  });

  it.each([{}, { crmIds: [], emails: [], phones: [] }])('without keys are none: %j', async keys => {
    expect(await once(() => log.ofPerson(keys, 5))).toEqual({ total: 0, activities: [] });
    expect(vendor.received).toEqual([]);
  });
});

describe('the latest entry', () => {
  it('is one of the last minute', async () => {
    vendor.on(search, hits(['a'], 9));
    expect(await once(() => log.latest())).toMatchObject({ id: 'a' });
    const { query, size, sort } = Object(vendor.received[0]?.body);
    expect([size, sort[0]]).toEqual([1, { '@timestamp': 'desc' }]);
    const since = Date.parse(query.bool.filter[0].range['@timestamp'].gte);
    expect(Math.abs(Date.now() - 60_000 - since)).toBeLessThan(30_000);
  });

  it('may be none, and is the probe', async () => {
    vendor.on(search, hits([]));
    expect(await once(() => log.latest())).toBeUndefined();
    await once(() => activityLog.probe(vendorContext({ ACTIVITY_LOG_URL: vendor.url })));
    expect(vendor.received).toHaveLength(2);
  });
});

describe('the entries of a time range', () => {
  const read = () =>
    once(async () => {
      const pages: string[][] = [];
      for await (const page of log.read(range)) pages.push(page.map(({ id }) => id));
      return pages;
    });

  it('are read oldest first, 1,000 a page, each after the last entry of the page before', async () => {
    vendor.on(search, hits(ids(0, 1_000), 1_001), hits(['last'], 1_001));
    expect((await read()).map(({ length }) => length)).toEqual([1_000, 1]);
    const [first, second] = vendor.received.map(({ body }) => Object(body));
    expect(first).toMatchObject({
      query: {
        bool: { filter: [{ range: { '@timestamp': { gte: range.from.toISOString(), lt: range.to.toISOString() } } }] },
      },
      size: 1_000,
      sort: [{ '@timestamp': 'asc' }, { 'event.id': 'asc' }],
    });
    expect(first).not.toHaveProperty('search_after');
    expect(second.search_after).toEqual([0, '999']);
  });

  it('may be none', async () => {
    vendor.on(search, hits([]));
    expect(await read()).toEqual([]);
  });

  it('are read to an empty page after a full one', async () => {
    vendor.on(search, hits(ids(0, 1_000)), hits([], 1_000));
    expect(await read()).toHaveLength(1);
    expect(vendor.received).toHaveLength(2);
  });

  it('may become more while they are read', async () => {
    vendor.on(search, hits(ids(0, 1_000), 1_000), hits(['late'], 1_001));
    expect(await read()).toHaveLength(2);
  });

  it('are an error when fewer arrived than the store counted first', async () => {
    vendor.on(search, hits(ids(0, 1_000), 1_002), hits(['last'], 1_001));
    await expect(read()).rejects.toMatchObject({
      message: 'The log store counted 1002 entries and returned 1001.',
      failure: { system: 'activity-log', code: 'incomplete' },
    });
  });

  it('are an error when the store repeats a page', async () => {
    vendor.on(search, hits(ids(0, 1_000), 5_000));
    await expect(read()).rejects.toMatchObject({ message: 'The log store counted 5000 entries and returned 2000.' });
    expect(vendor.received).toHaveLength(2);
  });
});

describe('answers that are not complete', () => {
  it.each([
    [{ timed_out: true }, 'the search timed out'],
    [{ _shards: { failed: 2 } }, '2 shards failed'],
  ])('%j are transient errors', async (change, message) => {
    vendor.on(search, hits(['a'], 1, change));
    await expect(once(() => log.latest())).rejects.toMatchObject({
      code: 'upstream-failed',
      failure: { status: 200, code: 'partial', message, kind: 'failing' },
    });
  });

  it.each([
    { timed_out: undefined },
    { _shards: {} },
    { hits: { total: { value: 10_000, relation: 'gte' }, hits: [] } },
    { hits: { total: { value: -1, relation: 'eq' }, hits: [] } },
    { hits: { total: { value: 1, relation: 'eq' }, hits: [{ _source: {} }] } },
  ])('%j are in an unexpected form', async change => {
    vendor.on(search, hits([], 0, change));
    await expect(once(() => log.latest())).rejects.toMatchObject({
      failure: { kind: 'rejected' },
      message: expect.stringContaining('unexpected form'),
    });
  });
});

describe('errors of the store', () => {
  const error = { type: 'search_phase_execution_exception', reason: 'no mapping' };

  it.each([
    [400, { error }, { code: error.type, message: 'no mapping', kind: 'rejected' }],
    [400, { error: { type: 'x', reason: null } }, { code: 'x', message: '', kind: 'rejected' }],
    [429, { error: { type: 'es_rejected_execution_exception' } }, { kind: 'limit' }],
    [500, { error }, { code: error.type, kind: 'failing' }],
    [503, { error }, { kind: 'failing' }],
    [499, { error }, { kind: 'rejected' }],
  ])('%i %j', async (status, json, failure) => {
    vendor.on(search, { status, json });
    await expect(once(() => log.latest())).rejects.toMatchObject({ failure: { status, ...failure } });
  });

  it.each([
    [401, { error }],
    [401, {}],
    [403, {}],
    [500, { message: 'text' }],
  ])('%i %j are classified by the status', async (status, json) => {
    vendor.on(search, { status, json });
    await expect(once(() => log.latest())).rejects.toMatchObject({ transient: status === 500, failure: { status } });
  });

  it('a login that is rejected is named', async () => {
    vendor.on(search, { status: 401, json: { error } });
    await expect(once(() => log.latest())).rejects.toThrow('The log store rejects our credentials.');
  });
});

describe('credentials', () => {
  it.each([
    [{}, undefined],
    [{ ACTIVITY_LOG_API_KEY: 'key', ACTIVITY_LOG_USERNAME: 'user' }, 'ApiKey key'],
    [{ ACTIVITY_LOG_USERNAME: 'user', ACTIVITY_LOG_PASSWORD: 'word' }, 'Basic dXNlcjp3b3Jk'],
  ])('%j', async (env, authorization) => {
    vendor.on(search, hits([]));
    await once(() => openClient(activityLog, { ACTIVITY_LOG_URL: vendor.url, ...env }).latest());
    expect(vendor.received[0]?.headers.authorization).toBe(authorization);
  });

  it('of the sandbox are used when it serves the system', async () => {
    vendor.on('POST /activity-log/portal-activity/_search', hits([]));
    await once(() => openClient(activityLog, {}, { sandboxUrl: vendor.url }).latest());
    expect(vendor.received[0]?.headers.authorization).toBe('ApiKey sandbox');
  });
});
