import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { bearerToken, protectRoutes, skipTokenCheck } from '../../../../api/plugins/bearer.ts';

describe('bearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER  a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer a b', undefined],
    ['Bearer a=b', undefined],
    ['Bearer ä', undefined],
    ['Basic abc', undefined],
    ['xBearer abc', undefined],
    [undefined, undefined],
  ])('reads from %s the token %s', (header, token) => expect(bearerToken(header)).toBe(token));
});

describe('a route', () => {
  const holder = { clientId: 'me', scopes: ['a'] };
  const appWith = (scope?: string | null) => {
    const app = Fastify();
    protectRoutes(app, { findHolder: async token => (token === 'live' ? holder : undefined) });
    app.get('/', { config: scope === undefined ? {} : { scope } }, async request => request.holder);
    return app;
  };
  const ask = (scope: string | null | undefined, authorization = 'Bearer live') =>
    appWith(scope).inject({ url: '/', headers: { authorization } });

  it('without a declared scope returns 403, also with a live token', async () =>
    expect((await ask(undefined)).statusCode).toBe(403));

  it('with a scope accepts a token that has it and passes on the client', async () => {
    const answer = await ask('a');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual(holder);
  });

  it.each([
    ['b', 'Bearer live', 403],
    ['a', 'Bearer dead', 401],
    ['a', '', 401],
    ['*', 'Bearer dead', 401],
    ['*', 'Bearer live', 200],
  ])(
    'with the scope %s returns for the Authorization header "%s" the status %i',
    async (scope, authorization, status) => expect((await ask(scope, authorization)).statusCode).toBe(status),
  );

  it('that is public requires no token and has an anonymous client', async () => {
    const answer = await ask(null, 'Bearer dead');
    expect(answer.json()).toEqual({ clientId: '', scopes: [] });
  });

  it('does not mix the clients of concurrent requests', async () => {
    const app = appWith('a');
    app.get('/open', { config: { scope: null } }, async request => request.holder);
    await app.inject({ url: '/', headers: { authorization: 'Bearer live' } });
    expect((await app.inject('/open')).json()).toEqual({ clientId: '', scopes: [] });
  });

  it('of a plugin in a scope without token check is public', async () => {
    const app = Fastify();
    protectRoutes(app, { findHolder: async () => undefined });
    app.register(async scope => {
      skipTokenCheck(scope);
      scope.get('/', async () => 'open');
    });
    expect((await app.inject('/')).body).toBe('open');
  });
});
