import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientDetails } from '../../../../../api/operations/oauth/client-resource.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import {
  createLogin,
  type OauthClient,
  openOauthClient,
  statusOf,
} from '../../../../support/oauth-client.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';

let service: TestService;
let party: OauthClient;
let administrator: ApiClient;

beforeAll(async () => {
  service = await startTestService('replace-client');
  party = await openOauthClient(service);
  administrator = await service.client(service.scopes);
});
afterAll(() => service.close());

const fields = {
  name: 'Portal',
  description: '',
  scopes: ['pdf', 'jobs:all'],
  tokenLifetimeSeconds: 3_600,
  isActive: true,
};
const pathOf = (clientId: string) => `/oauth/clients/${clientId}`;
const put = (clientId: string, body: object, by = administrator) => by.ask('PUT', pathOf(clientId), { body });
const drop = (clientId: string, by = administrator) => by.ask('DELETE', pathOf(clientId));
const actsOn = async (clientId: string) => {
  const { rows } = await service.database.pool.query(
    'select action, before, after from audit_entry where target = $1 order by id',
    [pathOf(clientId)],
  );
  return rows;
};

describe('replacing a client', () => {
  it('takes the representation that GET gives, and keeps what is not its own to change', async () => {
    const { clientId } = await createLogin(service);
    const before = ClientDetails.parse((await administrator.ask('GET', pathOf(clientId))).body);
    const next = { ...before, ...fields, name: 'Renamed', tokenLifetimeSeconds: 60 };
    const reply = await put(clientId, { ...next, clientId: 'other', createdAt: 'never' });
    expect(reply).toMatchObject({ status: 200, body: next });
    expect((await administrator.ask('GET', pathOf(clientId))).body).toEqual(reply.body);
  });

  it('takes a scope from its live tokens at once, and gives them none that they had not', async () => {
    const login = await createLogin(service, ['pdf', 'jobs:all']);
    const { access_token } = await party.token(login);
    await put(login.clientId, { ...fields, scopes: ['pdf', 'ops'] });
    expect((await party.introspect(login, access_token)).scope).toBe('pdf');
  });

  it('switches it off: token and secret are dead at once; on again: the secret works, the tokens stay dead', async () => {
    const login = await createLogin(service);
    const { access_token } = await party.token(login);
    expect((await put(login.clientId, { ...fields, isActive: false })).status).toBe(200);
    expect(await statusOf(service, access_token)).toBe(401);
    await expect(party.token(login, {}, 'post')).rejects.toMatchObject({ error: 'invalid_client' });
    await put(login.clientId, fields);
    expect(await statusOf(service, access_token)).toBe(401);
    expect(await statusOf(service, (await party.token(login)).access_token)).toBe(200);
  });

  it('leaves an audit entry with what was and what is', async () => {
    const { clientId } = await createLogin(service, ['pdf']);
    await put(clientId, { ...fields, description: 'New' });
    expect((await actsOn(clientId)).at(-1)).toMatchObject({
      action: 'oauth.replaceClient',
      before: { scopes: ['pdf'], description: '' },
      after: { scopes: ['pdf', 'jobs:all'], description: 'New' },
    });
  });

  it('is refused without a name, scopes or state: nothing is switched on by leaving it out', async () => {
    const { clientId } = await createLogin(service);
    const reply = await put(clientId, {});
    expect(reply.status).toBe(422);
    expect(`${reply.bytes}`).toMatch(/\/name.*\/scopes.*\/isActive/);
    expect((await put(clientId, { ...fields, isActive: undefined })).status).toBe(422);
  });

  it('is refused with unknown scopes, each pointed at, and changes nothing', async () => {
    const { clientId } = await createLogin(service);
    const reply = await put(clientId, { ...fields, name: 'Other', scopes: ['everything'] });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/scopes/0' }] } });
    expect(await actsOn(clientId)).toHaveLength(1);
  });

  it('of an unknown client is answered 404', async () => {
    expect((await put('unknown', fields)).status).toBe(404);
  });

  it('cannot add scopes that the caller lacks; those the client has already may stay', async () => {
    const lesser = await service.client(['oauth:clients']);
    const { clientId } = await createLogin(service, ['pdf']);
    const refused = await put(clientId, { ...fields, scopes: ['pdf', 'ops'] }, lesser);
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('ops') } });
    expect((await put(clientId, { ...fields, scopes: ['pdf'] }, lesser)).status).toBe(200);
  });

  it('cannot bring back a client with scopes that the caller lacks', async () => {
    const lesser = await service.client(['oauth:clients']);
    const { clientId } = await createLogin(service, ['pdf']);
    expect((await drop(clientId, lesser)).status).toBe(200);
    expect((await put(clientId, { ...fields, scopes: ['pdf'] }, lesser)).status).toBe(403);
  });

  it.each([
    { what: 'switches itself off', change: { isActive: false } },
    { what: 'gives up oauth:clients', change: { scopes: ['pdf'] } },
  ])('is refused with 409 to a client that $what', async ({ change }) => {
    const own = await service.client(['oauth:clients', 'pdf']);
    const reply = await put(own.clientId, { ...fields, scopes: ['oauth:clients', 'pdf'], ...change }, own);
    expect(reply.status).toBe(409);
    expect((await put(own.clientId, { ...fields, scopes: ['oauth:clients'] }, own)).status).toBe(200);
  });
});

describe('deactivating a client', () => {
  it('kills its tokens at once, refuses its secret, and keeps the client', async () => {
    const login = await createLogin(service);
    const { access_token } = await party.token(login);
    const reply = await drop(login.clientId);
    expect(reply).toMatchObject({ status: 200, body: { clientId: login.clientId, isActive: false } });
    expect(await statusOf(service, access_token)).toBe(401);
    await expect(party.token(login, {}, 'post')).rejects.toMatchObject({ error: 'invalid_client' });
    expect((await administrator.ask('GET', pathOf(login.clientId))).body).toEqual(reply.body);
  });

  it('may be repeated; each time leaves an audit entry', async () => {
    const { clientId } = await createLogin(service);
    expect((await drop(clientId)).status).toBe(200);
    expect((await drop(clientId)).status).toBe(200);
    expect((await actsOn(clientId)).slice(1)).toMatchObject([
      { action: 'oauth.deactivateClient', before: { isActive: true }, after: { isActive: false } },
      { action: 'oauth.deactivateClient', before: { isActive: false }, after: { isActive: false } },
    ]);
  });

  it('does not reach another client', async () => {
    const [one, other] = [await createLogin(service), await createLogin(service)];
    const { access_token } = await party.token(other);
    await drop(one.clientId);
    expect(await statusOf(service, access_token)).toBe(200);
  });

  it('is refused with 409 to the client itself, whose token lives on', async () => {
    const own = await service.client(['oauth:clients']);
    expect((await drop(own.clientId, own)).status).toBe(409);
    expect((await own.ask('GET', pathOf(own.clientId))).body).toMatchObject({ isActive: true });
    expect(await actsOn(own.clientId)).toHaveLength(1);
  });

  it('of an unknown client is answered 404', async () => {
    expect((await drop('unknown')).status).toBe(404);
  });
});
