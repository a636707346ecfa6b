/**
 * Measures the cost of access tokens: the same response from an open and a protected route (goal: the protected route
 * reaches at least 0.7 of the open one's requests per second), and tokens issued per second. Every request reads its
 * token from PostgreSQL without a cache, so that a revocation applies from the next request on.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import autocannon from 'autocannon';
import { z } from 'zod';
import { buildApp } from '../api/app.ts';
import { ApiConfig } from '../api/config.ts';
import { inGroup, type LoadedOperation, loadOperations } from '../api/http/load-operations.ts';
import { defineOperation } from '../api/http/operation.ts';
import { openServices } from '../api/open-services.ts';
import { AppConfig, openApp } from '../core/app.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { redisAddress } from '../core/redis/connection.ts';
import { readConfig } from '../core/runtime/config.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { median } from './support/measure.ts';
import { figure } from './support/results.ts';

const connections = 50;
const warmUps = 3;
const rounds = 15;
const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

const route = (name: string, scope: string | null): LoadedOperation =>
  inGroup(
    'bench',
    defineOperation({
      summary: 'Answers as health does.',
      id: `bench.${name}`,
      route: `GET /bench/${name}`,
      scope,
      request: {},
      answers: { 200: { description: 'The process serves.', schema: z.object({ status: z.string() }) } },
      handle: async () => ({ status: 200, headers: { 'cache-control': 'no-store' }, body: { status: 'pass' } }),
    }),
  );

const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
const logger = createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' });
const postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
const env = {
  ...process.env,
  DATABASE_URL: postgres.url,
  DATA_DIR: dataFolder,
  REQUESTS_PER_MINUTE: '1000000',
  TOKENS_PER_MINUTE: '1000000',
};
const parts = await openApp(readConfig(AppConfig, env), 'bench', logger);
const config = { ...parts.config, ...readConfig(ApiConfig, env) };
const operations = [...(await loadOperations()), route('open', null), route('protected', 'pdf')];
const services = openServices(parts, { config, operations, redis: redisAddress(config) });
const app = await buildApp(services, operations);
const origin = await app.listen({ port: 0, host: '127.0.0.1' });

/** Returns requests per second; sends them from a separate thread and expects 200 for each. */
async function load(url: string, requests: autocannon.Request[]): Promise<number> {
  const result = await autocannon({
    url: origin,
    connections,
    duration: 1,
    workers: 1,
    requests: requests.map(request => ({ ...request, path: url })),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${url}: ${result.non2xx} responses with another status than 200, ${result.errors} failed requests`,
    );
  }
  return result['2xx'] / result.duration;
}

async function createLogin(): Promise<{ accessToken: string; form: string }> {
  const client = await services.clients.create(
    { name: 'Bench', description: '', scopes: ['pdf'], tokenLifetimeSeconds: 3_600 },
    { kind: 'command', name: 'bench' },
  );
  const { accessToken } = await services.oauth.issueToken(client, ['pdf']);
  const form = {
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  };
  return { accessToken, form: new URLSearchParams(form).toString() };
}

try {
  // Each connection has its own client and token.
  const logins = await Promise.all(Array.from({ length: connections }, createLogin));
  const withToken = logins.map(({ accessToken }) => ({
    headers: { authorization: `Bearer ${accessToken}` },
  }));
  const forToken = logins.map(({ form }) => ({ method: 'POST' as const, headers: formHeaders, body: form }));

  // Alternates the routes every second, so that other load on the machine affects both equally.
  const [open, guarded]: [number[], number[]] = [[], []];
  for (let round = -warmUps; round < rounds; round++) {
    const one = await load('/v2/bench/open', withToken);
    const other = await load('/v2/bench/protected', withToken);
    if (round < 0) continue;
    open.push(one);
    guarded.push(other);
  }
  const ratio = median(guarded.map((each, round) => each / (open[round] ?? Number.NaN)));
  figure('open route', median(open), '/s');
  figure('protected route', median(guarded), '/s', { baseline: median(guarded) / ratio, goal: 'at least 0.7' });

  const issued: number[] = [];
  for (let round = 0; round < warmUps + 3; round++) issued.push(await load('/v2/oauth/token', forToken));
  figure('tokens issued', median(issued.slice(warmUps)), '/s');
} finally {
  await app.close();
  await services.closeServices();
  await parts.close();
  await postgres.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
