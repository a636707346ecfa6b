import { beforeAll, describe, expect, it } from 'vitest';
import { LinkResource } from '../../../../../api/operations/links/link-resource.ts';
import { Problem } from '../../../../../core/runtime/errors.ts';
import type { RequestOptions } from '../../../../support/api-client.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const campaigns = '/apps/links/v1/campaigns';
const projects = '/apps/links/v1/projects';
const palm = { name: 'Palm launch', url: 'https://example.com/palm?lang=en#plans' };

const service = useService('create-link');
const marketing = useClient(service, ['links:read', 'links:write']);

async function create(path: string, ask: RequestOptions = {}, status = 201): Promise<LinkResource> {
  const answer = await marketing.request('POST', path, ask);
  expect(answer.status, String(answer.bytes)).toBe(status);
  return LinkResource.parse(answer.body);
}

async function createRejected(path: string, ask: RequestOptions, status: number): Promise<Problem> {
  const answer = await marketing.request('POST', path, ask);
  expect(answer.status, String(answer.bytes)).toBe(status);
  return Problem.parse(answer.body);
}

describe('POST of a link', () => {
  it('creates a link from a JSON body with a generated slug', async () => {
    const link = await create(campaigns, { body: { ...palm, utm: { source: 'instagram', medium: 'social' } } });
    expect(link).toMatchObject({ kind: 'campaign', ...palm, expiresAt: null, parentId: null });
    expect(link.slug).toMatch(/^[2-9cdfhjkmnprtvwxy]{9}$/);
    expect(link.shortUrl).toBe(`http://portal.example/r/${link.slug}`);
    expect(link.qrUrl).toBe(`http://portal.example/v2/apps/links/v1/campaigns/${link.id}/qr`);
    expect(link.target).toBe('https://example.com/palm?lang=en&utm_source=instagram&utm_medium=social#plans');
  });

  it('creates a link from query parameters', async () => {
    const query = new URLSearchParams({
      name: 'Marina Gate',
      url: 'https://example.com/marina?a=1&b=2',
      slug: 'Marina-Gate',
      utm_source: 'flyer',
      expiresAt: '2040-01-01T00:00:00+04:00',
    });
    const link = await create(`${projects}?${query}`);
    expect(link).toMatchObject({
      kind: 'project',
      slug: 'Marina-Gate',
      shortUrl: 'http://portal.example/r/Marina-Gate',
      target: 'https://example.com/marina?a=1&b=2&utm_source=flyer',
      utm: { source: 'flyer' },
      expiresAt: '2039-12-31T20:00:00.000Z',
    });
  });

  it('returns 422 naming the parameters when query and body are sent together', async () => {
    const problem = await createRejected(`${campaigns}?name=x&utm_source=y`, { body: palm }, 422);
    expect(problem.detail).toContain('not as both');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/name', '/utm_source']);
  });

  it('returns 422 naming the missing fields when neither query nor body is sent', async () => {
    const problem = await createRejected(campaigns, {}, 422);
    expect(problem.detail).toBe('Send name and url, as query parameters or as a JSON body.');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/name', '/url']);
  });

  it('reports all faults at once', async () => {
    const body = { name: '', url: 'javascript:alert(1)', slug: 'api', expiresAt: '2020-01-01T00:00:00Z' };
    const { errors } = await createRejected(campaigns, { body }, 422);
    expect(errors?.map(({ pointer }) => pointer).sort()).toEqual(['/expiresAt', '/name', '/slug', '/url']);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '//example.com', 'https://good.example@evil.example/'])(
    'rejects the target %s',
    async url => {
      await createRejected(campaigns, { body: { name: 'x', url } }, 422);
      await createRejected(`${projects}?${new URLSearchParams({ name: 'x', url })}`, {}, 422);
    },
  );

  it('rejects a short link as target, because it could redirect in a circle', async () => {
    const { errors } = await createRejected(
      campaigns,
      { body: { name: 'x', url: 'http://portal.example/r/abc' } },
      422,
    );
    expect(errors?.[0]).toMatchObject({ pointer: '/url', detail: expect.stringContaining('circle') });
  });

  it('returns 409 for an existing slug, ignoring case', async () => {
    await create(campaigns, { body: { ...palm, slug: 'Downtown' } });
    const problem = await createRejected(projects, { body: { ...palm, slug: 'downTOWN' } }, 409);
    expect(problem.detail).toContain('downTOWN is taken');
  });

  it('creates one link per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'autumn' };
    const body = { ...palm, slug: 'autumn' };
    const first = await create(campaigns, { body, headers });
    expect(await create(campaigns, { body, headers })).toEqual(first);
  });
});

describe('findExisting', () => {
  const body = {
    name: 'Hills',
    url: 'https://example.com/hills',
    utm: { source: 'sms' },
    findExisting: true,
  };
  beforeAll(() => create(campaigns, { body }));

  it('returns 200 with an existing equal link, from body or query', async () => {
    const equal = { ...body, name: 'Equal hills' };
    const made = await create(campaigns, { body: equal });
    expect(await create(campaigns, { body: equal }, 200)).toEqual(made);
    const query = new URLSearchParams({ name: equal.name, url: body.url, utm_source: 'sms', findExisting: 'true' });
    expect(await create(`${campaigns}?${query}`, {}, 200)).toEqual(made);
  });

  it.each([
    ['another kind', projects, {}],
    ['another name', campaigns, { name: 'Other hills' }],
    ['another target', campaigns, { utm: { source: 'mail' } }],
    ['an expiry', campaigns, { expiresAt: '2040-01-01T00:00:00Z' }],
    ['a chosen slug', campaigns, { slug: 'hills' }],
  ])('creates another link for %s', async (_, path, change) => {
    await create(path, { body: { ...body, ...change } });
  });

  it('creates one link for twenty concurrent requests', async () => {
    const together = { ...body, name: 'All at once' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => marketing.request('POST', campaigns, { body: together })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => LinkResource.parse(body).id)).size).toBe(1);
  });

  it('is off by default', async () => {
    const one = await create(campaigns, { body: palm });
    const other = await create(campaigns, { body: palm });
    expect(other.id).not.toBe(one.id);
  });
});

describe('parents of links', () => {
  it('lists campaigns with child links and clicks, newest first, in pages', async () => {
    const campaign = await create(campaigns, { body: { ...palm, name: 'Family' } });
    const child = await create(campaigns, { body: { ...palm, name: 'Story', parentId: campaign.id } });
    const later = await create(campaigns, { body: { ...palm, name: 'Later' } });

    const first = await marketing.request('GET', `${campaigns}?limit=1`);
    expect(first.body).toMatchObject({ items: [{ id: later.id, links: [], linkCount: 0 }] });
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await marketing.request('GET', next.replace(/^\/v2/, ''));
    expect(second.body).toMatchObject({
      items: [
        {
          id: campaign.id,
          clicks: { total: 0, bots: 0 },
          linkCount: 1,
          links: [{ id: child.id, name: 'Story', shortUrl: child.shortUrl, clicks: { total: 0 } }],
        },
      ],
    });
  });

  it('returns 422 for an unknown parent and for a parent that is a child link', async () => {
    const campaign = await create(campaigns, { body: palm });
    const child = await create(campaigns, { body: { ...palm, parentId: campaign.id } });
    for (const parentId of ['0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20', child.id]) {
      const { errors } = await createRejected(campaigns, { body: { ...palm, parentId } }, 422);
      expect(errors?.[0]?.pointer).toBe('/parentId');
    }
  });
});

describe('GET of a QR code', () => {
  it('returns an SVG, or a PNG of the requested size', async () => {
    const link = await create(campaigns, { body: { ...palm, slug: 'with-code' } });
    const path = link.qrUrl.replace('http://portal.example/v2', '');
    const svg = await marketing.request('GET', path);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml');
    expect(svg.headers.get('content-disposition')).toBe('inline; filename="with-code.svg"');
    const png = await marketing.request('GET', `${path}?format=png&size=300`);
    expect(png.headers.get('content-type')).toBe('image/png');
    expect([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]).toEqual([300, 300]);
  });

  it('returns 404 under another kind and 422 for a size out of range', async () => {
    const link = await create(campaigns, { body: palm });
    expect((await marketing.request('GET', `${projects}/${link.id}/qr`)).status).toBe(404);
    expect((await marketing.request('GET', `${campaigns}/nothing/qr`)).status).toBe(404);
    expect((await marketing.request('GET', `${campaigns}/${link.id}/qr?size=90000`)).status).toBe(422);
  });
});
