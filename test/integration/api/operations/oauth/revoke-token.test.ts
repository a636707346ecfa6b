import { beforeAll, describe, expect, it } from 'vitest';
import { openApiClient } from '../../../../support/api-client.ts';
import {
  basic,
  createLogin,
  type Login,
  type OauthClient,
  openOauthClient,
  statusOf,
} from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('revoke-token');
let party: OauthClient;
let login: Login;

beforeAll(async () => {
  party = await openOauthClient(service);
  login = await createLogin(service);
});

const ask = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  openApiClient(service).request('POST', '/oauth/revoke', { body: new URLSearchParams(form), headers });

describe('revocation', () => {
  it.each(['basic', 'post'] as const)('of an own token (by %s) is effective with the next request', async by => {
    const { access_token } = await party.token(login);
    const { access_token: other } = await party.token(login);
    expect(await statusOf(service, access_token)).toBe(200);
    await party.revoke(login, access_token, by);
    expect(await statusOf(service, access_token)).toBe(401);
    expect(await party.introspect(login, access_token)).toEqual({ active: false });
    expect(await statusOf(service, other)).toBe(200);
  });

  it('of an unknown or revoked token returns 200, whatever the hint', async () => {
    const { access_token } = await party.token(login);
    await party.revoke(login, access_token);
    for (const token of [access_token, 'nonsense']) {
      const reply = await ask({ token, token_type_hint: 'refresh_token' }, { authorization: basic(login) });
      expect(reply.status).toBe(200);
    }
  });

  it('of another client’s token returns 200; the token remains valid', async () => {
    const { access_token } = await party.token(login);
    await party.revoke(await createLogin(service), access_token);
    expect(await statusOf(service, access_token)).toBe(200);
  });

  it('returns 401 without authentication; the token remains valid', async () => {
    const { access_token: token } = await party.token(login);
    expect(await ask({ token })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const wrong = { client_id: login.clientId, client_secret: 'wrong' };
    expect(await ask({ token, ...wrong })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await statusOf(service, token)).toBe(200);
  });

  it('returns 400 invalid_request without a token', async () => {
    const reply = await ask({}, { authorization: basic(login) });
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});
