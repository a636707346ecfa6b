import { beforeAll, describe, expect, it } from 'vitest';
import { putBootstrapClient } from '../../../../../api/operations/oauth/bootstrap-client.ts';
import { ClientDetails } from '../../../../../api/operations/oauth/client-resource.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { createLogin, type OauthClient, openOauthClient, statusOf } from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('replace-client', () => ({
  env: { BOOTSTRAP_CLIENT_ID: 'bootstrap', BOOTSTRAP_CLIENT_SECRET: 'secret of the bootstrap client' },
}));
let party: OauthClient;
let administrator: ApiClient;

beforeAll(async () => {
  party = await openOauthClient(service);
  administrator = await service.client(service.scopes);
});

const fields = {
  name: 'Portal',
  description: '',
  scopes: ['pdf', 'jobs:all'],
  tokenLifetimeSeconds: 3_600,
  isActive: true,
};
const pathOf = (clientId: string) => `/oauth/clients/${clientId}`;
const put = (clientId: string, body: object, by = administrator) => by.request('PUT', pathOf(clientId), { body });
const drop = (clientId: string, by = administrator) => by.request('DELETE', pathOf(clientId));
const rotate = (clientId: string, by = administrator) => by.request('POST', `${pathOf(clientId)}/rotate-secret`);
const auditOf = async (clientId: string) => {
  const { rows } = await service.database.pool.query(
    'select action, before, after from audit_entry where target = $1 order by id',
    [pathOf(clientId)],
  );
  return rows;
};

describe('replacing a client', () => {
  it('accepts the representation of GET and ignores read-only fields', async () => {
    const { clientId } = await createLogin(service);
    const before = ClientDetails.parse((await administrator.request('GET', pathOf(clientId))).body);
    const next = { ...before, ...fields, name: 'Renamed', tokenLifetimeSeconds: 60 };
    const reply = await put(clientId, { ...next, clientId: 'other', createdAt: 'never' });
    expect(reply).toMatchObject({ status: 200, body: next });
    expect((await administrator.request('GET', pathOf(clientId))).body).toEqual(reply.body);
  });

  it('adds no scope to live tokens', async () => {
    const login = await createLogin(service, ['pdf']);
    const { access_token } = await party.token(login);
    await put(login.clientId, { ...fields, scopes: ['pdf', 'ops'] });
    expect((await party.introspect(login, access_token)).scope).toBe('pdf');
  });

  it('revokes all tokens when it removes a scope; the scope’s return does not make them valid again', async () => {
    const login = await createLogin(service, ['pdf', 'jobs:all']);
    const tokens = [await party.token(login), await party.token(login, { scope: 'pdf' })];
    await put(login.clientId, { ...fields, scopes: ['pdf'] });
    await put(login.clientId, { ...fields, scopes: ['pdf', 'jobs:all'] });
    for (const { access_token } of tokens) {
      expect(await party.introspect(login, access_token)).toEqual({ active: false });
      expect(await statusOf(service, access_token)).toBe(401);
    }
  });

  it('deactivates token and secret at once; reactivation makes only the secret valid again', async () => {
    const login = await createLogin(service);
    const { access_token } = await party.token(login);
    expect((await put(login.clientId, { ...fields, isActive: false })).status).toBe(200);
    expect(await statusOf(service, access_token)).toBe(401);
    await expect(party.token(login, {}, 'post')).rejects.toMatchObject({ error: 'invalid_client' });
    await put(login.clientId, fields);
    expect(await statusOf(service, access_token)).toBe(401);
    expect(await statusOf(service, (await party.token(login)).access_token)).toBe(200);
  });

  it('records an audit entry with the fields before and after', async () => {
    const { clientId } = await createLogin(service, ['pdf']);
    await put(clientId, { ...fields, description: 'New' });
    expect((await auditOf(clientId)).at(-1)).toMatchObject({
      action: 'oauth.replaceClient',
      before: { scopes: ['pdf'], description: '' },
      after: { scopes: ['pdf', 'jobs:all'], description: 'New' },
    });
  });

  it('returns 422 without name, scopes or isActive', async () => {
    const { clientId } = await createLogin(service);
    const reply = await put(clientId, {});
    expect(reply.status).toBe(422);
    expect(`${reply.bytes}`).toMatch(/\/name.*\/scopes.*\/isActive/);
    expect((await put(clientId, { ...fields, isActive: undefined })).status).toBe(422);
  });

  it('returns 422 with a pointer to each unknown scope and changes nothing', async () => {
    const { clientId } = await createLogin(service);
    const reply = await put(clientId, { ...fields, name: 'Other', scopes: ['everything'] });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes/0' }] } });
    expect(await auditOf(clientId)).toHaveLength(1);
  });

  it('returns 404 for an unknown client', async () => expect((await put('unknown', fields)).status).toBe(404));

  it('returns 403 for new scopes that the caller does not have, naming them', async () => {
    const lesser = await service.client(['oauth:clients', 'pdf']);
    const { clientId } = await createLogin(service, ['pdf']);
    const rejected = await put(clientId, { ...fields, scopes: ['pdf', 'ops'] }, lesser);
    expect(rejected).toMatchObject({ status: 403, body: { detail: expect.stringMatching(/does not have: ops\.$/) } });
    expect(rejected.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="ops"');
  });

  it.each([
    { what: 'deactivates itself', change: { isActive: false } },
    { what: 'removes its oauth:clients', change: { scopes: ['pdf'] } },
  ])('returns 409 to a client that $what', async ({ change }) => {
    const own = await service.client(['oauth:clients', 'pdf']);
    const reply = await put(own.clientId, { ...fields, scopes: ['oauth:clients', 'pdf'], ...change }, own);
    expect(reply.status).toBe(409);
    expect((await put(own.clientId, { ...fields, scopes: ['oauth:clients'] }, own)).status).toBe(200);
  });
});

describe('deactivating a client', () => {
  it('invalidates its tokens and secret at once and does not delete it', async () => {
    const login = await createLogin(service);
    const { access_token } = await party.token(login);
    const reply = await drop(login.clientId);
    expect(reply).toMatchObject({ status: 200, body: { clientId: login.clientId, isActive: false } });
    expect(await statusOf(service, access_token)).toBe(401);
    await expect(party.token(login, {}, 'post')).rejects.toMatchObject({ error: 'invalid_client' });
    expect((await administrator.request('GET', pathOf(login.clientId))).body).toEqual(reply.body);
  });

  it('can be repeated; each time records an audit entry', async () => {
    const { clientId } = await createLogin(service);
    expect((await drop(clientId)).status).toBe(200);
    expect((await drop(clientId)).status).toBe(200);
    expect((await auditOf(clientId)).slice(1)).toMatchObject([
      { action: 'oauth.deactivateClient', before: { isActive: true }, after: { isActive: false } },
      { action: 'oauth.deactivateClient', before: { isActive: false }, after: { isActive: false } },
    ]);
  });

  it('does not affect another client', async () => {
    const [one, other] = [await createLogin(service), await createLogin(service)];
    const { access_token } = await party.token(other);
    await drop(one.clientId);
    expect(await statusOf(service, access_token)).toBe(200);
  });

  it('returns 409 to the client itself, whose token remains valid', async () => {
    const own = await service.client(['oauth:clients']);
    expect((await drop(own.clientId, own)).status).toBe(409);
    expect((await own.request('GET', pathOf(own.clientId))).body).toMatchObject({ isActive: true });
    expect(await auditOf(own.clientId)).toHaveLength(1);
  });

  it('returns 404 for an unknown client', async () => expect((await drop('unknown')).status).toBe(404));
});

/** The matrix of SECURITY.md. The caller's token has the scopes oauth:clients and pdf. */
describe.each([
  { target: 'with scopes of the caller only', status: 200, prepare: () => createLogin(service, ['pdf']) },
  { target: 'with another scope', status: 403, prepare: () => createLogin(service, ['pdf', 'ops']) },
  { target: 'that lost another scope after its last secret was issued', status: 403, prepare: stripped },
  {
    target: 'that lost another scope before its last secret was issued',
    status: 200,
    prepare: async () => {
      const login = await stripped();
      await rotate(login.clientId);
      return login;
    },
  },
  {
    target: 'with a scope that the service no longer has',
    status: 200,
    prepare: () => createLogin(service, ['pdf', 'retired']),
  },
  { target: 'that is the bootstrap client', status: 403, prepare: bootstrap },
])('a client $target', ({ target, status, prepare }) => {
  const next = { ...fields, scopes: ['pdf'] };
  it.each([
    { what: 'replaced', change: (id: string, by: ApiClient) => put(id, next, by) },
    { what: 'rotated', change: rotate },
    { what: 'deactivated', change: drop },
    { what: 'deactivated with PUT', change: (id: string, by: ApiClient) => put(id, { ...next, isActive: false }, by) },
    { what: 'reactivated', isInactive: true, change: (id: string, by: ApiClient) => put(id, next, by) },
  ])(`answers ${status} when it is $what`, async ({ change, isInactive }) => {
    const { clientId } = await prepare();
    if (isInactive) await service.clients.deactivate(clientId, { kind: 'command', name: 'test' });
    const before = await service.clients.find(clientId);
    // The bootstrap client is closed to every caller.
    const scopes = target.includes('bootstrap') ? service.scopes : ['oauth:clients', 'pdf'];
    const reply = await change(clientId, await service.client(scopes));
    expect(reply.status, `${reply.bytes}`).toBe(status);
    if (status === 403) expect(await service.clients.find(clientId)).toEqual(before);
  });
});

async function stripped() {
  const login = await createLogin(service, ['pdf', 'ops']);
  await put(login.clientId, { ...fields, scopes: ['pdf'] });
  return login;
}

async function bootstrap() {
  await putBootstrapClient(service);
  return { clientId: 'bootstrap', clientSecret: 'secret of the bootstrap client' };
}

it('a caller with oauth:clients cannot take over a client by removing its scopes first', async () => {
  const victim = await createLogin(service, ['pdf', 'jobs:all']);
  const { access_token } = await party.token(victim);
  const thief = await service.client(['oauth:clients', 'pdf']);
  const stripping = await put(victim.clientId, { ...fields, scopes: ['pdf'] }, thief);
  expect([stripping.status, (await rotate(victim.clientId, thief)).status]).toEqual([403, 403]);
  expect(`${stripping.bytes}`).toContain('jobs:all');
  expect(await statusOf(service, access_token)).toBe(200);
  expect((await party.token(victim)).scope).toBe('pdf jobs:all');
});
