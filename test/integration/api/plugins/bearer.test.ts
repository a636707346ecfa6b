import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadOperations } from '../../../../api/http/load-operations.ts';
import { anyScope } from '../../../../api/http/operation.ts';
import { newCredential } from '../../../../core/oauth/credentials.ts';
import { createLogin, type OauthClient, openOauthClient } from '../../../support/oauth-client.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

let service: TestService;
let party: OauthClient;

beforeAll(async () => {
  service = await startTestService('bearer');
  party = await openOauthClient(service);
});
afterAll(() => service.close());

const ask = (method: string, path: string, authorization?: string) =>
  fetch(`${service.origin}/v2${path.replaceAll(/[{}]/g, '')}`, {
    method,
    headers: authorization === undefined ? {} : { authorization },
  });

const operations = await loadOperations();
const closed = operations.filter(({ scope }) => scope !== null);
const scoped = closed.filter(({ scope }) => scope !== anyScope);

describe('every operation that is not public', () => {
  it.each(closed)('$method $path returns 401 without a token', async ({ method, path }) => {
    const answer = await ask(method, path);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="portal-service"');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it.each(scoped)('$method $path names its scope $scope to a token that lacks it', async ({ method, path, scope }) => {
    const others = service.scopes.filter(each => each !== scope);
    const { access_token } = await party.token(await createLogin(service, others));
    const answer = await ask(method, path, `Bearer ${access_token}`);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="portal-service", error="insufficient_scope", scope="${scope}"`,
    );
    expect(await answer.json()).toMatchObject({
      type: 'urn:portal-service:problem:insufficient-scope',
      detail: expect.stringContaining(String(scope)),
    });
  });
});

describe('the API document', () => {
  it('names the scope of every operation', async () => {
    const document: unknown = await (await ask('GET', '/openapi.json')).json();
    for (const { method, path, scope } of operations) {
      const security = scope === null ? [] : [{ oauth: scope === anyScope ? [] : [scope] }];
      expect(document).toHaveProperty(['paths', `/v2${path}`, method.toLowerCase(), 'security'], security);
    }
  });
});

describe('a token', () => {
  it.each([
    ['unknown', () => newCredential('token')],
    ['mistyped', () => 'pst_nonsense'],
    ['a client secret', () => newCredential('secret')],
  ])('that is %s returns 401 invalid_token', async (_, token) => {
    const answer = await ask('GET', '/jobs', `Bearer ${token()}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="portal-service", error="invalid_token"');
  });

  it('is read from the header only', async () => {
    const { access_token } = await party.token(await createLogin(service));
    expect((await ask('GET', `/jobs?access_token=${access_token}`)).status).toBe(401);
    expect((await ask('GET', '/jobs', `Bearer ${access_token}`)).status).toBe(200);
  });

  it('updates the last use of its client, to the minute', async () => {
    const login = await createLogin(service);
    const { access_token } = await party.token(login);
    await service.database.pool.query(
      `update oauth_client set last_used_at = now() - interval '2 minutes' where client_id = $1`,
      [login.clientId],
    );
    await ask('GET', '/jobs', `Bearer ${access_token}`);
    const used = (await service.clients.find(login.clientId))?.lastUsedAt;
    expect(Date.now() - Number(used)).toBeLessThan(60_000);
    await ask('GET', '/jobs', `Bearer ${access_token}`);
    expect((await service.clients.find(login.clientId))?.lastUsedAt).toEqual(used);
  });
});
