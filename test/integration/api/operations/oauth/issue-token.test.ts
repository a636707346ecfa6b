import { WWWAuthenticateChallengeError } from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../../../core/oauth/credentials.ts';
import { type ApiClient, openApiClient } from '../../../../support/api-client.ts';
import { runMaintenanceTask } from '../../../../support/maintenance.ts';
import {
  basic,
  createLogin,
  type Login,
  type OauthClient,
  openOauthClient,
  statusOf,
} from '../../../../support/oauth-client.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('issue-token', () => ({ env: { TOKENS_PER_MINUTE: '1000' } }));
let party: OauthClient;
let anonymous: ApiClient;
let login: Login;

beforeAll(async () => {
  party = await openOauthClient(service);
  anonymous = openApiClient(service);
  login = await createLogin(service, ['pdf', 'leads'], 120);
});

const path = '/oauth/token';
const grant = { grant_type: 'client_credentials' };
const ask = (form: Record<string, string> | string, headers: Record<string, string> = {}) =>
  anonymous.request('POST', path, { body: new URLSearchParams(form), headers });

describe('a token', () => {
  it.each(['basic', 'post'] as const)('is issued to a client that authenticates by %s', async by => {
    const token = await party.token(login, {}, by);
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 120, scope: 'pdf leads' });
    expect(token.access_token).toMatch(/^pst_[0-9A-Za-z]{49}$/);
    expect(await statusOf(service, token.access_token)).toBe(200);
  });

  it.each(['a+b/c==', 'a%2Bb', 'a b+c%20d', '100%'])(
    'is issued for the secret %j, form-encoded (RFC 6749) and as curl sends it',
    async clientSecret => {
      const odd = { clientId: `odd+${clientSecret}`, clientSecret };
      await service.clients.put({ ...odd, name: 'Odd', scopes: ['pdf'] }, { kind: 'command', name: 'test' });
      const asSent = `Basic ${Buffer.from(`${odd.clientId}:${clientSecret}`).toString('base64')}`;
      const wrong = `Basic ${Buffer.from(`${odd.clientId}:${clientSecret}x`).toString('base64')}`;
      const statuses = [basic(odd), asSent, wrong].map(
        async authorization => (await ask(grant, { authorization })).status,
      );
      expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
    },
  );

  it('has exactly the requested scopes, each once', async () => {
    expect((await party.token(login, { scope: 'leads' })).scope).toBe('leads');
    expect((await party.token(login, { scope: 'leads leads' })).scope).toBe('leads');
  });

  it('forbids caching', async () => {
    const reply = await ask(grant, { authorization: basic(login) });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('pragma')).toBe('no-cache');
  });

  it('expires after its lifetime', async () => {
    const { access_token } = await party.token(login);
    await service.database.pool.query(`update oauth_token set expires_at = now() where client_id = $1`, [
      login.clientId,
    ]);
    expect(await statusOf(service, access_token)).toBe(401);
  });

  it('is deleted after its expiry, and no other', async () => {
    const [expired, live] = [await party.token(login), await party.token(login)];
    await service.database.pool.query('update oauth_token set expires_at = now() where sha256 = $1', [
      sha256(expired.access_token),
    ]);
    expect((await runMaintenanceTask('access-tokens', service)).counts.tokens).toBeGreaterThan(0);
    expect((await runMaintenanceTask('access-tokens', service)).counts.tokens).toBe(0);
    expect(await statusOf(service, live.access_token)).toBe(200);
  });

  it('loses a scope as soon as its client does', async () => {
    const of = await createLogin(service, ['pdf', 'jobs:all']);
    const { access_token } = await party.token(of);
    await service.database.pool.query(`update oauth_client set scopes = '{jobs:all}' where client_id = $1`, [
      of.clientId,
    ]);
    expect((await party.introspect(of, access_token)).scope).toBe('jobs:all');
  });

  it('and the client’s secret are not stored in plain text', async () => {
    const { access_token } = await party.token(login);
    const { rows } = await service.database.pool.query(
      'select row_to_json(t)::text as row from oauth_token t union all select row_to_json(s)::text from oauth_secret s union all select row_to_json(a)::text from audit_entry a',
    );
    const all = JSON.stringify(rows);
    expect(all).toContain(login.clientId);
    expect(all).not.toContain(access_token);
    expect(all).not.toContain(login.clientSecret);
  });

  it('is issued to a client whose id and secret have special characters', async () => {
    const odd = { clientId: 'a+b c%25/~', clientSecret: 'p:a+s%2Fs ~&=ü' };
    await service.clients.put({ ...odd, name: 'Odd', scopes: ['pdf'] }, { kind: 'command', name: 'test' });
    expect((await party.token(odd, {}, 'basic')).scope).toBe('pdf');
    expect((await party.token(odd, {}, 'post')).scope).toBe('pdf');
  });

  it('updates the last use of client and secret, to the minute', async () => {
    const of = await createLogin(service);
    expect((await service.clients.find(of.clientId))?.lastUsedAt).toBeNull();
    await party.token(of);
    const used = await service.clients.find(of.clientId);
    expect(used?.lastUsedAt).toBeInstanceOf(Date);
    expect(used?.secrets[0]?.lastUsedAt).toBeInstanceOf(Date);
    await party.token(of);
    expect(await service.clients.find(of.clientId)).toEqual(used);
  });
});

describe('a token request', () => {
  it('returns 401 with the tried scheme for a wrong secret', async () => {
    const wrong = { ...login, clientSecret: 'wrong' };
    await expect(party.token(wrong)).rejects.toBeInstanceOf(WWWAuthenticateChallengeError);
    await expect(party.token(wrong, {}, 'post')).rejects.toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('gets the same answer for an unknown client as for a wrong secret', async () => {
    const answers = await Promise.all(
      [
        { ...login, clientSecret: 'wrong' },
        { clientId: 'unknown', clientSecret: 'wrong' },
        { clientId: 'no\u0007body', clientSecret: 'wrong' },
      ].map(async wrong => (await ask(grant, { authorization: basic(wrong) })).body),
    );
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
  });

  it('returns 401 to a deactivated client', async () => {
    const deactivated = await createLogin(service);
    await service.clients.deactivate(deactivated.clientId, { kind: 'command', name: 'test' });
    await expect(party.token(deactivated, {}, 'post')).rejects.toMatchObject({ error: 'invalid_client' });
  });

  it('returns 400 for a scope that the client does not have, instead of narrowing', () =>
    expect(party.token(login, { scope: 'pdf ops "x"\u{1F600}' })).rejects.toMatchObject({
      status: 400,
      error: 'invalid_scope',
      error_description: 'The client does not have the scopes: ops ?x???.',
    }));

  it.each([
    { why: 'no body', form: '', error: 'invalid_request', message: 'grant_type is required' },
    { why: 'no grant type', form: 'scope=pdf', error: 'invalid_request', message: 'grant_type is required' },
    { why: 'an empty grant type', form: 'grant_type=', error: 'invalid_request', message: 'grant_type is required' },
    {
      why: 'another grant type',
      form: 'grant_type=password',
      error: 'unsupported_grant_type',
      message: 'client_credentials',
    },
    {
      why: 'a parameter twice',
      form: 'grant_type=client_credentials&scope=pdf&scope=leads',
      error: 'invalid_request',
      message: 'scope is given more than once',
    },
    {
      why: 'an unknown parameter twice',
      form: 'grant_type=client_credentials&a=1&a=2',
      error: 'invalid_request',
      message: 'a is given more than once',
    },
    {
      why: 'a NUL character',
      form: 'grant_type=client_credentials&scope=%00',
      error: 'invalid_request',
      message: 'NUL',
    },
    {
      why: 'the secret in both places',
      form: 'grant_type=client_credentials&client_secret=x',
      error: 'invalid_request',
      message: 'not with both',
    },
    {
      why: 'another client in the form',
      form: 'grant_type=client_credentials&client_id=x',
      error: 'invalid_request',
      message: 'client_id',
    },
  ])('returns 400 $error for $why', async ({ form, error, message }) => {
    const reply = await ask(form, { authorization: basic(login) });
    expect(reply).toMatchObject({ status: 400, body: { error, error_description: expect.stringContaining(message) } });
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    { why: 'no authentication', headers: {}, challenge: null },
    { why: 'another scheme', headers: { authorization: 'Bearer x' }, challenge: 'Basic realm="portal-service"' },
    {
      why: 'a Basic header without a colon',
      headers: { authorization: 'Basic eA==' },
      challenge: 'Basic realm="portal-service"',
    },
  ])('returns 401 invalid_client for $why', async ({ headers, challenge }) => {
    const reply = await ask(grant, headers as Record<string, string>);
    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(reply.headers.get('www-authenticate')).toBe(challenge);
  });

  it.each([
    { why: 'JSON', type: 'application/json', body: '{"grant_type":"client_credentials"}', message: 'must be a form' },
    { why: 'multipart', type: 'multipart/form-data; boundary=x', body: '--x--', message: 'must be a form' },
    {
      why: 'a form too large',
      type: 'application/x-www-form-urlencoded',
      body: `scope=${'x'.repeat(70_000)}`,
      message: '65536 bytes',
    },
  ])('returns 400 invalid_request for a body that is $why', async ({ type, body, message }) => {
    const reply = await anonymous.request('POST', path, {
      body,
      headers: { 'content-type': type, authorization: basic(login) },
    });
    expect(reply).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: expect.stringContaining(message) },
    });
  });

  it('returns 405 for another method than POST', async () => {
    const reply = await anonymous.request('GET', path);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('POST');
  });
});
