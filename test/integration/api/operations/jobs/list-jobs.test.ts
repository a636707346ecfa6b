/** GET /jobs: order, pages, filters, visibility. */
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encodeCursor } from '../../../../../api/http/paging.ts';
import { JobResource } from '../../../../../core/jobs/resource.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { useService } from '../../../../support/test-service.ts';
import { trialContracts, trialOperations } from '../../../../support/trial-jobs.ts';

const Page = z.object({ items: z.array(JobResource), nextCursor: z.string().nullable() });

const service = useService('list-jobs', () => ({ operations: trialOperations, contracts: trialContracts }));
let owner: ApiClient;
let other: ApiClient;
let overseer: ApiClient;
let ids: string[];
let foreignId: string;

beforeAll(async () => {
  [owner, other, overseer] = await Promise.all([
    service.client(['trial']),
    service.client(['trial']),
    service.client(['jobs:all']),
  ]);
  ids = await submitFive(owner);
  foreignId = (await other.requestJob('POST', '/trials/trial', { body: { name: 'waits' } })).id;
});

/** @returns the ids of five new jobs, newest first */
async function submitFive(client: ApiClient): Promise<string[]> {
  const submitted: string[] = [];
  for (const kind of ['trial', 'hasty', 'trial', 'trial', 'trial'])
    submitted.unshift((await client.requestJob('POST', `/trials/${kind}`, { body: { name: 'waits' } })).id);
  return submitted;
}

/** A client with five jobs of the same time. */
async function clientOfSameTime(): Promise<{ client: ApiClient; ids: string[] }> {
  const client = await service.client(['trial']);
  const submitted = await submitFive(client);
  await service.database.execute(
    sql`update job set created_at = '2026-01-31T08:00:00.123Z' where client_id = ${client.clientId}`,
  );
  return { client, ids: submitted.toSorted().reverse() };
}

async function page(client: ApiClient, query = ''): Promise<z.infer<typeof Page>> {
  const { status, body } = await client.request('GET', `/jobs${query}`);
  expect(status).toBe(200);
  return Page.parse(body);
}

const idsOf = ({ items }: z.infer<typeof Page>): string[] => items.map(({ id }) => id);

describe('the list of jobs', () => {
  it('contains the client’s jobs, newest first', async () => {
    expect(idsOf(await page(owner))).toEqual(ids);
    expect(idsOf(await page(other))).toEqual([foreignId]);
  });

  it('contains the jobs of all clients with jobs:all', async () => {
    const known = [foreignId, ...ids];
    expect(idsOf(await page(overseer)).filter(id => known.includes(id))).toEqual(known);
  });

  it('is empty without a next page for a client without jobs', async () =>
    expect(await page(await service.client(['trial']))).toEqual({ items: [], nextCursor: null }));

  it('returns every job once when paging by the Link header', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/jobs?limit=2&state=queued';
    const sizes: number[] = [];
    while (path) {
      const { headers, body } = await owner.request('GET', path);
      const { items, nextCursor } = Page.parse(body);
      seen.push(...items.map(({ id }) => id));
      sizes.push(items.length);
      const link = headers.get('link');
      expect(link === null).toBe(nextCursor === null);
      path = link === null ? undefined : /^<\/v2(.+)>; rel="next"$/.exec(link)?.[1];
    }
    expect(seen).toEqual(ids);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('pages over jobs of the same time, and over new jobs, without gaps and repetitions', async () => {
    const { client, ids: old } = await clientOfSameTime();
    const first = await page(client, '?limit=3');
    await client.requestJob('POST', '/trials/hasty', { body: { name: 'new' } });
    const second = await page(client, `?limit=10&cursor=${first.nextCursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(old);
  });

  it('filters by kind, state and time', async () => {
    const { client, ids: old } = await clientOfSameTime();
    await client.requestJob('POST', '/trials/hasty', { body: { name: 'new' } });
    const hasty = await page(client, '?kind=hasty&since=2020-01-01T00:00:00Z');
    expect(hasty.items.map(({ kind }) => kind)).toEqual(['hasty', 'hasty']);

    await client.request('DELETE', `/jobs/${old[0]}`);
    expect(idsOf(await page(client, '?state=cancelled'))).toEqual([old[0]]);

    const since = encodeURIComponent('2026-01-31T12:00:00.124+04:00');
    expect((await page(client, `?since=${since}`)).items).toHaveLength(1);
    expect((await page(client, '?since=2026-01-31T08:00:00.123Z')).items).toHaveLength(6);
  });

  it.each([
    ['limit=0', '/limit'],
    ['limit=201', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['state=done', '/state'],
    ['since=yesterday', '/since'],
    ['cursor=xyz', '/cursor'],
    [`cursor=${encodeCursor({ createdAt: 'now', id: 'x' })}`, '/cursor'],
    [`cursor=${encodeCursor({ createdAt: '2026-01-31T08:00:00Z', id: '\0' })}`, '/cursor'],
    ['kind=%00', '/kind'],
    ['kind=hastty', '/kind'],
  ])('returns 422 with the parameter for %s', async (query, pointer) => {
    const { status, body } = await owner.request('GET', `/jobs?${query}`);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ pointer, in: 'query' }] });
  });

  it('reports an unknown kind together with the other faults', async () => {
    const { status, body } = await owner.request('GET', '/jobs?kind=hastty&limit=abc&sort=asc');
    expect(status).toBe(422);
    const pointers = z.object({ errors: z.array(z.object({ pointer: z.string() })) }).parse(body).errors;
    expect(pointers.map(({ pointer }) => pointer).sort()).toEqual(['/kind', '/limit', '/sort']);
  });
});

describe('another client’s job', () => {
  it('can be read and cancelled with jobs:all', async () => {
    expect((await overseer.job(foreignId)).id).toBe(foreignId);
    expect((await overseer.request('DELETE', `/jobs/${foreignId}`)).status).toBe(200);
    expect((await overseer.request('POST', `/jobs/${foreignId}/retry`)).status).toBe(202);
  });

  it.each(['no-job-id', '..%2F..%2Fetc', 'x'.repeat(100), 'x'.repeat(101), 'x'.repeat(5_000)])(
    'the id %j is 404 too',
    async id => expect((await owner.request('GET', `/jobs/${id}`)).status).toBe(404),
  );
});
