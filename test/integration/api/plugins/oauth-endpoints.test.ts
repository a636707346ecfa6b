import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogin, type Login } from '../../../support/oauth-client.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

let service: TestService;
let proxy: TcpProxy;
let login: Login;

beforeAll(async () => {
  service = await startTestService('oauth-endpoints', {
    databaseUrl: async url => {
      proxy = await startTcpProxy(url);
      return proxy.url;
    },
  });
  login = await createLogin(service);
});
afterAll(async () => {
  await proxy.restore();
  await service.close();
  await proxy.close();
});

const ask = () =>
  fetch(`${service.origin}/v2/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: login.clientId,
      client_secret: login.clientSecret,
    }),
  });

describe('while the database is down', () => {
  it('POST /oauth/token returns 503 as in RFC 6749, and issues tokens again afterwards', async () => {
    await proxy.cut();
    const answer = await ask();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('The database is unavailable'),
    });
    await proxy.restore();
    await expect.poll(async () => (await ask()).status).toBe(200);
  });
});
