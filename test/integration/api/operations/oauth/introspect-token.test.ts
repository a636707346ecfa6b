import { beforeAll, describe, expect, it } from 'vitest';
import { openApiClient } from '../../../../support/api-client.ts';
import { basic, createLogin, type Login, type OauthClient, openOauthClient } from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('introspect-token');
let party: OauthClient;
let login: Login;
let token: string;

beforeAll(async () => {
  party = await openOauthClient(service);
  login = await createLogin(service, ['pdf', 'leads'], 600);
  token = (await party.token(login, { scope: 'leads' })).access_token;
});

const ask = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  openApiClient(service).request('POST', '/oauth/introspect', { body: new URLSearchParams(form), headers });

describe('introspection', () => {
  it.each(['basic', 'post'] as const)('shows a client (by %s) its own valid token', async by => {
    const answer = await party.introspect(login, token, by);
    expect(answer).toMatchObject({ active: true, client_id: login.clientId, scope: 'leads', token_type: 'Bearer' });
    expect(Number(answer.exp) - Number(answer.iat)).toBe(600);
    expect(Math.abs(Number(answer.iat) - Date.now() / 1_000)).toBeLessThan(60);
  });

  it('returns only { active: false } for an unknown, an expired and a mistyped token', async () => {
    const { access_token: expired } = await party.token(login);
    await service.database.pool.query(`update oauth_token set expires_at = now() where scopes = '{pdf,leads}'`);
    const mistyped = token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x');
    for (const other of ['nonsense', expired, mistyped]) {
      expect(await party.introspect(login, other)).toEqual({ active: false });
    }
  });

  it('hides a token from other clients without the scope oauth:clients', async () => {
    expect(await party.introspect(await createLogin(service, ['pdf']), token)).toEqual({ active: false });
    const administrator = await createLogin(service, ['oauth:clients']);
    expect(await party.introspect(administrator, token)).toMatchObject({ active: true, client_id: login.clientId });
  });

  it('returns inactive for the token of a deactivated client', async () => {
    const deactivated = await createLogin(service);
    const { access_token } = await party.token(deactivated);
    await service.clients.deactivate(deactivated.clientId, { kind: 'command', name: 'test' });
    const administrator = await createLogin(service, ['oauth:clients']);
    expect(await party.introspect(administrator, access_token)).toEqual({ active: false });
  });

  it('returns 401 without authentication', async () => {
    expect(await ask({ token })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await ask({ token }, { authorization: `Bearer ${token}` })).toMatchObject({ status: 401 });
    const wrong = basic({ ...login, clientSecret: 'wrong' });
    expect(await ask({ token }, { authorization: wrong })).toMatchObject({ status: 401 });
  });

  it('returns 400 invalid_request without a token', async () => {
    const reply = await ask({ token: '' }, { authorization: basic(login) });
    expect(reply).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: 'token is required' },
    });
  });
});
