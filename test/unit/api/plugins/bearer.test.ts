import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { bearerToken, openToAll, protectRoutes } from '../../../../api/plugins/bearer.ts';

describe('the Authorization header', () => {
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
  ])('%s carries the token %s', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
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

  it('that names no scope is closed, also to a live token', async () => {
    expect((await ask(undefined)).statusCode).toBe(403);
  });

  it('with a scope is open to a token that has it, and its handler knows whose it is', async () => {
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
  ])('with the scope %s, asked with "%s", answers %i', async (scope, authorization, status) => {
    expect((await ask(scope, authorization)).statusCode).toBe(status);
  });

  it('that is open to all asks for no token, and nobody is its caller', async () => {
    const answer = await ask(null, 'Bearer dead');
    expect(answer.json()).toEqual({ clientId: '', scopes: [] });
  });

  it('knows the caller of its own request only', async () => {
    const app = appWith('a');
    app.get('/open', { config: { scope: null } }, async request => request.holder);
    await app.inject({ url: '/', headers: { authorization: 'Bearer live' } });
    expect((await app.inject('/open')).json()).toEqual({ clientId: '', scopes: [] });
  });

  it('that a plugin adds in an open scope is open', async () => {
    const app = Fastify();
    protectRoutes(app, { findHolder: async () => undefined });
    app.register(async scope => {
      openToAll(scope);
      scope.get('/', async () => 'open');
    });
    expect((await app.inject('/')).body).toBe('open');
  });
});
