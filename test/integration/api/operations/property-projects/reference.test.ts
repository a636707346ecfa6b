import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiClient, Reply } from '../../../../support/api-client.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';

const base = '/apps/property-projects/v1';
const Row = z.looseObject({ id: z.string(), name: z.string().optional() });
const Page = z.object({ items: z.array(Row), nextCursor: z.string().nullable(), total: z.int() });

const sandbox = useSandbox();
afterEach(() => sandbox.control.reset('property-projects'));

describe('a fresh copy', () => {
  let service: TestService;
  let client: ApiClient;
  beforeEach(async () => {
    service = await startTestService('fresh projects', { sandboxUrl: sandbox.url });
    client = await service.client(['projects:read']);
  });
  afterEach(() => service?.close());
  const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    client.request('GET', base + path, { headers });
  const page = async (path: string) => Page.parse((await get(path)).body);

  it('is returned with its age, without a call to the system', async () => {
    const first = await get('/emirates');
    const again = await get('/emirates');
    expect(Page.parse(again.body)).toMatchObject({ total: 7, nextCursor: null });
    expect(again.body).toEqual(first.body);
    expect((await sandbox.control.requests('property-projects')).total).toBe(1);
    expect(again.headers.get('portal-sandbox')).toBe('property-projects');
    expect(Number(again.headers.get('age'))).toBeLessThan(60);
    expect(again.headers.get('cache-control')).toBe('private, max-age=300');
    expect(again.headers.get('warning')).toBeNull();
  });

  it('is shared by processes and survives a restart', async () => {
    await get('/finishes');
    const other = await startTestService('unused', { sandboxUrl: sandbox.url, databaseUrl: () => service.databaseUrl });
    try {
      const reader = await other.client(['projects:read']);
      expect((await reader.request('GET', `${base}/finishes`)).status).toBe(200);
      expect((await sandbox.control.requests('property-projects')).byPath).toEqual({ 'GET /finishes': 1 });
    } finally {
      await other.close();
    }
  });

  it('is read once for concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => get('/developers')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await sandbox.control.requests('property-projects')).total).toBe(1);
  });

  it('returns 304 for a matching If-None-Match', async () => {
    const { headers } = await get('/amenities');
    const etag = headers.get('etag') ?? '';
    const unchanged = await get('/amenities', { 'if-none-match': `"other", W/${etag}` });
    expect([unchanged.status, unchanged.bytes.length, unchanged.headers.get('etag')]).toEqual([304, 0, etag]);
    expect((await get('/amenities', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('is listed by name, complete over all pages', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/projects?limit=60';
    while (path !== undefined) {
      const reply = await get(path);
      seen.push(...Page.parse(reply.body).items.map(({ id }) => id));
      path = new RegExp(`<[^>]*${base}([^>]+)>; rel="next"`).exec(reply.headers.get('link') ?? '')?.[1];
    }
    expect(new Set(seen).size).toBe(230);
    expect(seen).toHaveLength(230);
    // Three pages of 100 rows from the system, for all pages of ours.
    expect((await sandbox.control.requests('property-projects')).total).toBe(3);
  });

  it('is filtered by place, developer, status and name', async () => {
    const [emirate] = (await page('/emirates?search=dubai')).items;
    const districts = await page(`/districts?emirateId=${emirate?.id}&limit=200`);
    expect(districts.total).toBeGreaterThan(10);
    const projects = await page(`/projects?emirateId=${emirate?.id}&status=READY&limit=200`);
    expect(projects.total).toBeGreaterThan(0);
    expect(projects.items.every(row => row.emirateId === emirate?.id && row.status === 'ready')).toBe(true);
    const [project] = projects.items;
    const narrowed = await page(`/projects?districtId=${project?.districtId}&developerId=${project?.developerId}`);
    expect(narrowed.items.map(({ id }) => id)).toContain(project?.id);
    expect(await page('/unit-layouts?unitTypeId=401')).toMatchObject({ total: 6 });
    expect(await page('/emirates?search=%D8%AF%D8%A8%D9%8A')).toMatchObject({ total: 1 });
  });

  it('of one record or of a project’s units is found by id', async () => {
    const [district] = (await page('/districts?limit=1')).items;
    expect((await get(`/districts/${district?.id}`)).body).toEqual(district);
    const [project] = (await page('/projects?limit=1')).items;
    const units = Page.parse((await get(`/units?projectId=${project?.id}&limit=200`)).body);
    expect(units.total).toBeGreaterThan(7);
    expect(units.items.every(unit => unit.projectId === project?.id)).toBe(true);
    expect(units.items[0]).toMatchObject({ currency: 'AED', price: expect.stringMatching(/^\d+\.\d\d$/) });
  });

  it('returns 404 for an unknown record and 422 for an invalid query', async () => {
    expect((await get('/emirates/999')).status).toBe(404);
    expect((await get('/units?projectId=999')).status).toBe(404);
    expect(await get('/units')).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/projectId', in: 'query' }] },
    });
    expect((await get('/projects?cursor=x')).status).toBe(422);
    expect((await get(`/projects/${encodeURIComponent('../users')}`)).status).toBe(422);
  });
});

describe('an expired copy', () => {
  let service: TestService;
  let client: ApiClient;
  beforeEach(async () => {
    service = await startTestService('stale projects', {
      sandboxUrl: sandbox.url,
      env: { PROPERTY_PROJECTS_FRESH_SECONDS: '0' },
    });
    client = await service.client(['projects:read']);
  });
  afterEach(() => service?.close());
  const get = (path: string): Promise<Reply> => client.request('GET', base + path);

  it('is revalidated by its entity tags, and changed pages are read again', async () => {
    const first = await get('/projects');
    expect((await get('/projects')).body).toEqual(first.body);
    expect((await sandbox.control.requests('property-projects')).byStatus).toEqual({ '200': 3, '304': 3 });
    await sandbox.control.data('property-projects', 'projects', 'halve');
    expect(Page.parse((await get('/projects')).body).total).toBe(115);
    await sandbox.control.data('property-projects', 'projects', 'reset');
    expect(Page.parse((await get('/projects')).body).total).toBe(230);
  });

  it('is returned with a warning while the system fails', async () => {
    const before = await get('/developers');
    for (const fault of ['unauthorized', 'limit', 'html', 'malformed', 'error-500'] as const) {
      await sandbox.control.fault('property-projects', { fault, times: 3 });
      const stale = await get('/developers');
      expect(stale.status, fault).toBe(200);
      expect(stale.headers.get('warning')).toBe('110 - "Response is Stale"');
      expect(stale.headers.get('age')).toMatch(/^\d+$/);
      expect(stale.body).toEqual(before.body);
      await sandbox.control.reset('property-projects');
    }
  });

  it('does not exist before the first read: the failure is returned without the vendor’s text', async () => {
    await sandbox.control.fault('property-projects', { fault: 'html', times: 99 });
    const failed = await get('/developers');
    expect(failed.status).toBe(502);
    expect(failed.bytes.toString()).not.toMatch(/nginx|Bad Gateway/);
  });

  it('is dropped when the record was deleted', async () => {
    expect((await get('/emirates/1')).status).toBe(200);
    await sandbox.control.data('property-projects', 'emirates', 'empty');
    expect((await get('/emirates/1')).status).toBe(404);
    await sandbox.control.fault('property-projects', { fault: 'error-500', times: 99 });
    expect((await get('/emirates/1')).status).toBe(502);
  });
});
