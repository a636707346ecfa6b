import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encodeCursor } from '../../../../../api/http/paging.ts';
import { ClientResource, ClientWithSecret } from '../../../../../api/operations/oauth/client-resource.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { createLogin, type OauthClient, openOauthClient } from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('clients');
let party: OauthClient;
let administrator: ApiClient;

beforeAll(async () => {
  party = await openOauthClient(service);
  administrator = await service.client(service.scopes);
});

const fields = { name: 'Portal', description: 'Prints brochures.', scopes: ['pdf'], tokenLifetimeSeconds: 600 };
const create = async (body: object = fields) => {
  const reply = await administrator.request('POST', '/oauth/clients', { body });
  return ClientWithSecret.parse(reply.body);
};

describe('creating a client', () => {
  it('returns 201 with its location and a valid secret', async () => {
    const reply = await administrator.request('POST', '/oauth/clients', { body: fields });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const client = ClientWithSecret.parse(reply.body);
    expect(client).toMatchObject({ ...fields, isActive: true, lastUsedAt: null });
    expect(client.clientSecret).toMatch(/^pss_[0-9A-Za-z]{49}$/);
    expect(reply.headers.get('location')).toBe(`/v2/oauth/clients/${client.clientId}`);
    expect(await party.token(client)).toMatchObject({ scope: 'pdf', expires_in: 600 });
  });

  it('never shows its secret again', async () => {
    const { clientId, clientSecret } = await create();
    const one = await administrator.request('GET', `/oauth/clients/${clientId}`);
    const all = await administrator.request('GET', '/oauth/clients?limit=200');
    expect(one.status).toBe(200);
    expect(`${one.bytes}${all.bytes}`).not.toContain(clientSecret);
    expect(`${one.bytes}${all.bytes}`).not.toContain('clientSecret');
  });

  it('fills in defaults, trims the name and removes duplicate scopes', async () =>
    expect(await create({ name: ' Bare ', scopes: ['pdf', 'pdf'] })).toMatchObject({
      name: 'Bare',
      description: '',
      scopes: ['pdf'],
      tokenLifetimeSeconds: 3_600,
    }));

  it('records an audit entry with actor, time and request id, without the secret', async () => {
    const reply = await administrator.request('POST', '/oauth/clients', { body: fields });
    const { clientId, clientSecret } = ClientWithSecret.parse(reply.body);
    const { rows } = await service.database.pool.query('select * from audit_entry where target = $1', [
      `/oauth/clients/${clientId}`,
    ]);
    expect(rows).toEqual([
      {
        id: expect.any(String),
        at: expect.any(Date),
        actor_kind: 'client',
        actor: administrator.clientId,
        action: 'oauth.createClient',
        target: `/oauth/clients/${clientId}`,
        before: null,
        after: { ...fields, isActive: true, secrets: [{ fingerprint: expect.any(String), expiresAt: null }] },
        request_id: reply.headers.get('x-request-id'),
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain(clientSecret);
  });
});

describe('creating a client is rejected', () => {
  it('for a repeated Idempotency-Key; the secret is not stored', async () => {
    const headers = { 'idempotency-key': '"create-once"' };
    const body = { ...fields, name: 'Once' };
    const first = await administrator.request('POST', '/oauth/clients', { body, headers });
    const repeat = await administrator.request('POST', '/oauth/clients', { body, headers });
    expect([first.status, repeat.status]).toEqual([201, 409]);
    const { rows } = await service.database.pool.query(
      `select (select count(*)::int from oauth_client where name = 'Once') as clients,
        (select json_agg(kept)::text from idempotency_key kept) as kept`,
    );
    expect(rows[0]?.clients).toBe(1);
    expect(rows[0]?.kept).not.toContain(ClientWithSecret.parse(first.body).clientSecret);
  });

  it('with a pointer to each unknown scope', async () => {
    const reply = await administrator.request('POST', '/oauth/clients', {
      body: { ...fields, scopes: ['pdf', 'everything', 'leads:all'] },
    });
    expect(reply).toMatchObject({
      status: 422,
      body: {
        errors: [
          { pointer: '/scopes/1', detail: expect.stringContaining('everything') },
          { pointer: '/scopes/2', detail: expect.stringContaining('leads:all') },
        ],
      },
    });
  });

  it('with a pointer to each invalid field', async () => {
    const reply = await administrator.request('POST', '/oauth/clients', {
      body: { name: ' ', description: 'a\0b', scopes: [], tokenLifetimeSeconds: 59 },
    });
    expect(reply.status).toBe(422);
    const { errors } = z.object({ errors: z.array(z.object({ pointer: z.string() })) }).parse(reply.body);
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/description',
      '/name',
      '/scopes',
      '/tokenLifetimeSeconds',
    ]);
  });

  it.each([
    { tokenLifetimeSeconds: 86_401 },
    { tokenLifetimeSeconds: 600.5 },
    { name: 'x'.repeat(201) },
    { name: 'a\nb' },
    { scopes: 'pdf' },
  ])('with %o', async wrong => {
    const reply = await administrator.request('POST', '/oauth/clients', { body: { ...fields, ...wrong } });
    expect(reply.status).toBe(422);
  });

  it('with 403 naming the scope that the caller does not have', async () => {
    const lesser = await service.client(['oauth:clients', 'pdf']);
    const reply = await lesser.request('POST', '/oauth/clients', { body: { ...fields, scopes: ['pdf', 'ops'] } });
    expect(reply).toMatchObject({ status: 403, body: { detail: expect.stringContaining('ops') } });
    expect(reply.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="ops"');
    expect((await lesser.request('POST', '/oauth/clients', { body: fields })).status).toBe(201);
  });
});

describe.each([
  { method: 'GET', path: '/oauth/clients' },
  { method: 'POST', path: '/oauth/clients' },
  { method: 'GET', path: '/oauth/clients/x' },
  { method: 'PUT', path: '/oauth/clients/x' },
  { method: 'DELETE', path: '/oauth/clients/x' },
  { method: 'POST', path: '/oauth/clients/x/rotate-secret' },
])('$method $path', ({ method, path }) => {
  it('returns 401 without a valid token', async () => {
    const reply = await service
      .client([])
      .then(client => client.request(method, path, { headers: { authorization: '' } }));
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="portal-service"');
  });

  it('returns 403 naming the scope oauth:clients when the token does not have it', async () => {
    const other = await service.client(service.scopes.filter(scope => scope !== 'oauth:clients'));
    const reply = await other.request(method, path);
    expect(reply).toMatchObject({ status: 403, body: { detail: expect.stringContaining('oauth:clients') } });
    expect(reply.headers.get('www-authenticate')).toBe(
      'Bearer realm="portal-service", error="insufficient_scope", scope="oauth:clients"',
    );
  });
});

describe('getting a client', () => {
  it('shows each secret’s fingerprint and last use', async () => {
    const login = await createLogin(service);
    await party.token(login);
    const reply = await administrator.request('GET', `/oauth/clients/${login.clientId}`);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply).toMatchObject({
      status: 200,
      body: {
        clientId: login.clientId,
        lastUsedAt: expect.any(String),
        secrets: [
          { fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/), expiresAt: null, lastUsedAt: expect.any(String) },
        ],
      },
    });
  });

  it.each(['unknown', 'a%20b', '%E2%80%A6'])('returns 404 for %s', async clientId =>
    expect((await administrator.request('GET', `/oauth/clients/${clientId}`)).status).toBe(404),
  );
});

describe('listing clients', () => {
  it('returns every client once, newest first, over all pages', async () => {
    const page = z.object({ items: z.array(ClientResource), nextCursor: z.string().nullable() });
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.push((await create()).clientId);
    const found: ClientResource[] = [];
    let path: string | undefined = '/oauth/clients?limit=2';
    while (path !== undefined) {
      const reply = await administrator.request('GET', path);
      found.push(...page.parse(reply.body).items);
      path = /^<\/v2([^>]+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    const ids = found.map(({ clientId }) => clientId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter(id => made.includes(id))).toEqual(made.reverse());
    expect(ids).toContain(administrator.clientId);
    const times = found.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each([
    'limit=0',
    'limit=201',
    'cursor=x',
    `cursor=${encodeCursor({ createdAt: '2026-01-01T00:00:00Z', clientId: '\0' })}`,
  ])('returns 422 for %s', async query =>
    expect((await administrator.request('GET', `/oauth/clients?${query}`)).status).toBe(422),
  );
});
