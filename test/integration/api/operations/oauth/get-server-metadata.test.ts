import { expect, it } from 'vitest';
import { createLogin, openOauthClient } from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('server-metadata');

const read = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
  const answer = await fetch(service.origin + path, { headers });
  expect(answer.status).toBe(200);
  return answer.json();
};

it.each(['http://portal.example', 'http://portal.example/v2'])(
  'a client that knows only the issuer %s gets a token',
  async issuer => {
    const party = await openOauthClient(service, issuer);
    expect(party.server.issuer).toBe(issuer);
    const { access_token } = await party.token(await createLogin(service));
    expect(access_token).toMatch(/^pst_/);
  },
);

it('the document under the base path has the issuer with the base path', async () => {
  const metadata = await read('/v2/.well-known/oauth-authorization-server');
  expect(metadata).toMatchObject({ issuer: 'http://portal.example/v2' });
  expect(await read('/.well-known/oauth-authorization-server/v2?x')).toEqual(metadata);
});

it('lists all scopes and endpoints', async () => {
  const metadata = await read('/.well-known/oauth-authorization-server');
  expect(metadata).toMatchObject({
    token_endpoint: 'http://portal.example/v2/oauth/token',
    introspection_endpoint: 'http://portal.example/v2/oauth/introspect',
    revocation_endpoint: 'http://portal.example/v2/oauth/revoke',
    grant_types_supported: ['client_credentials'],
    scopes_supported: service.scopes,
  });
  expect(service.scopes).toContain('oauth:clients');
});

it('takes its URLs from the configuration, not from the request', async () => {
  const metadata = await read('/.well-known/oauth-authorization-server', {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
  });
  expect(JSON.stringify(metadata)).not.toContain('evil');
});
