import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { OauthError } from '../../../../../api/http/oauth-error.ts';
import { createOauthThrottle } from '../../../../../api/operations/oauth/oauth-throttle.ts';
import { openRateLimits } from '../../../../../core/rate-limits/rate-limits.ts';
import { redisAddress } from '../../../../../core/redis/connection.ts';
import { createLogin, type OauthClient, openOauthClient } from '../../../../support/oauth-client.ts';
import { backends, startTestService, useService } from '../../../../support/test-service.ts';

const silent = pino({ level: 'silent' });

describe.each(backends)('on %s', backend => {
  const service = useService(`throttle-${backend}`, () => ({
    backend,
    env: { TOKENS_PER_MINUTE: '20', TRUST_PROXY: '127.0.0.1' },
  }));
  let party: OauthClient;

  beforeAll(async () => {
    party = await openOauthClient(service);
  });

  const ask = (clientId: string, clientSecret: string, address = '192.0.2.1', path = '/oauth/token') =>
    fetch(`${service.origin}/v2${path}`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        token: 'x',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
  const failTenTimes = async (clientId: string, path?: string) => {
    for (let index = 0; index < 10; index++) {
      expect((await ask(clientId, 'wrong', '192.0.2.1', path)).status).toBe(401);
    }
  };

  it('returns 429 with Retry-After after ten failures; the correct secret still works', async () => {
    const { clientId, clientSecret } = await createLogin(service);
    await failTenTimes(clientId);
    expect((await ask(clientId, clientSecret)).status).toBe(200);
    const answer = await ask(clientId, 'wrong');
    expect(answer.status).toBe(429);
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(200);
    expect(wait).toBeLessThanOrEqual(300);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });

  it('failures count neither for the same client at another address nor for another client', async () => {
    const [one, other] = [await createLogin(service), await createLogin(service)];
    await failTenTimes(one.clientId);
    expect((await ask(one.clientId, 'wrong', '192.0.2.2')).status).toBe(401);
    expect((await ask(other.clientId, 'wrong')).status).toBe(401);
  });

  it('failures at one endpoint count at all endpoints', async () => {
    const { clientId, clientSecret } = await createLogin(service);
    await failTenTimes(clientId, '/oauth/introspect');
    for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
      expect((await ask(clientId, 'wrong', '192.0.2.1', path)).status).toBe(429);
      expect((await ask(clientId, clientSecret, '192.0.2.1', path)).status).toBe(200);
    }
  });

  it('failures are counted across processes', async () => {
    const redis = redisAddress({ REDIS_URL: backend === 'redis' ? inject('redisUrl') : undefined, REDIS_TLS: false });
    const stores = { redis, pool: service.database.pool, prefix: randomUUID() };
    const limits = [openRateLimits(stores, silent), openRateLimits(stores, silent)] as const;
    const [one, other] = [createOauthThrottle(limits[0], 1), createOauthThrottle(limits[1], 1)];
    const count = (throttle: typeof one) =>
      throttle.countFailure('a', '192.0.2.9').then(
        () => 401,
        (error: unknown) => (error instanceof OauthError ? error.status : error),
      );
    // Until the connection to Redis is open, each process counts alone.
    const countElsewhere = async () => {
      for (let index = 0; index < 10; index++) await count(one);
      return await count(other);
    };
    await expect.poll(countElsewhere, { interval: 5 }).toBe(429);
    for (const each of limits) each.close();
  });

  it('of 200 concurrent failures of one client ten get 401, and none delays valid credentials', async () => {
    const { clientId, clientSecret } = await createLogin(service);
    const valid = () => ask(clientId, clientSecret, '192.0.2.5').then(({ status }) => status);
    const wrong = Array.from({ length: 200 }, () => ask(clientId, 'wrong', '192.0.2.5').then(({ status }) => status));
    expect(await Promise.all([valid(), valid()])).toEqual([200, 200]);
    const statuses = await Promise.all(wrong);
    expect(statuses.filter(status => status === 401)).toHaveLength(10);
    expect(statuses.filter(status => status === 429)).toHaveLength(190);
    expect(await valid()).toBe(200);
  });

  it('of 200 concurrent failures of any clients from one address a hundred get 401; valid credentials work', async () => {
    const address = '192.0.2.3';
    const wrong = Array.from({ length: 200 }, (_, index) => ask(`client ${index}`, 'wrong', address));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    expect(statuses.filter(status => status === 401)).toHaveLength(100);
    expect(statuses.filter(status => status === 429)).toHaveLength(100);
    const { clientId, clientSecret } = await createLogin(service);
    expect((await ask(clientId, clientSecret, address)).status).toBe(200);
    expect((await ask(clientId, 'wrong', address)).status).toBe(429);
    expect((await ask(clientId, 'wrong', '192.0.2.4')).status).toBe(401);
  });

  it('tokens are issued up to the limit of each client, also to 200 concurrent requests', async () => {
    const [limited, other] = [await createLogin(service), await createLogin(service)];
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask(limited.clientId, limited.clientSecret, '127.0.0.1')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const rejected = await ask(limited.clientId, limited.clientSecret, '127.0.0.1');
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    await party.token(other);
  });
});

describe('X-Forwarded-For', () => {
  it('is ignored unless the proxy is trusted, so that it cannot evade the limit', async () => {
    const service = await startTestService('throttle-proxy');
    const { clientId } = await createLogin(service);
    const statuses: number[] = [];
    for (let index = 0; index < 11; index++) {
      const answer = await fetch(`${service.origin}/v2/oauth/token`, {
        method: 'POST',
        headers: { 'x-forwarded-for': `192.0.2.${index}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: 'wrong' }),
      });
      statuses.push(answer.status);
    }
    await service.close();
    expect(statuses.at(-1)).toBe(429);
  });
});

it('each process counts separately while Redis is down', async () => {
  const limits = openRateLimits(
    { redis: redisAddress({ REDIS_URL: 'redis://127.0.0.1:1', REDIS_TLS: false }), pool: new pg.Pool() },
    silent,
  );
  const throttle = createOauthThrottle(limits, 2);
  await throttle.countToken('a', '192.0.2.1');
  await throttle.countToken('a', '192.0.2.1');
  await expect(throttle.countToken('a', '192.0.2.1')).rejects.toMatchObject({ status: 429 });
  for (let index = 0; index < 10; index++) await throttle.countFailure('b', '192.0.2.1');
  await expect(throttle.countFailure('b', '192.0.2.1')).rejects.toMatchObject({ status: 429 });
  for (let index = 0; index < 20; index++) await throttle.countOperator('192.0.2.1');
  await expect(throttle.countOperator('192.0.2.1')).rejects.toMatchObject({ status: 429 });
  limits.close();
});
