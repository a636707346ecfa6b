/**
 * What access tokens cost: the same answer from an open and from a protected route (goal: the protected one does at
 * least 0.7 of the open one's requests per second), and tokens issued per second. Every request looks its token up in
 * PostgreSQL: nothing is remembered, so that a revocation holds from the next request on.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import autocannon from 'autocannon';
import { z } from 'zod';
import { buildApp } from '../api/app.ts';
import { ApiConfig } from '../api/config.ts';
import { type LoadedOperation, loadOperations } from '../api/http/load-operations.ts';
import { defineOperation } from '../api/http/operation.ts';
import { openServices } from '../api/open-services.ts';
import { openParts, PartsConfig } from '../core/app.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { readConfig } from '../core/runtime/config.ts';
import { createLogger } from '../core/runtime/logger.ts';
import { median } from './support/service.ts';

const connections = 50;
const warmUps = 3;
const turns = 15;
const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

const route = (name: string, scope: string | null): LoadedOperation => ({
  ...defineOperation({
    summary: 'Answers as health does.',
    id: `bench.${name}`,
    method: 'GET',
    path: `/bench/${name}`,
    scope,
    request: {},
    answers: { 200: { description: 'The process serves.', schema: z.object({ status: z.string() }) } },
    handle: async () => ({ status: 200, headers: { 'cache-control': 'no-store' }, body: { status: 'pass' } }),
  }),
  group: 'bench',
});

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
const parts = await openParts(readConfig(PartsConfig, env), 'bench', logger);
const config = { ...parts.config, ...readConfig(ApiConfig, env) };
const operations = [...(await loadOperations()), route('open', null), route('protected', 'pdf')];
const services = openServices(parts, {
  config,
  operations,
  contracts: new Map(),
  redisUrl: config.REDIS_URL,
});
const app = await buildApp(services, operations);
const origin = await app.listen({ port: 0, host: '127.0.0.1' });

/** Requests per second, sent from a thread of its own; every answer must be 200. */
async function load(url: string, requests: autocannon.Request[]): Promise<number> {
  const result = await autocannon({
    url: origin,
    connections,
    duration: 1,
    workers: 1,
    requests: requests.map(request => ({ ...request, path: url })),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were not 200, ${result.errors} requests failed`);
  }
  return result['2xx'] / result.duration;
}

async function makeLogin(): Promise<{ accessToken: string; form: string }> {
  const { client, clientSecret } = await services.clients.create(
    { name: 'Bench', description: '', scopes: ['pdf'], tokenLifetimeSeconds: 3_600 },
    { kind: 'command', name: 'bench' },
  );
  const { accessToken } = await services.oauth.issueToken(client, ['pdf']);
  const form = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: clientSecret };
  return { accessToken, form: new URLSearchParams(form).toString() };
}

try {
  // Every caller has a client and a token of its own.
  const logins = await Promise.all(Array.from({ length: connections }, makeLogin));
  const withToken = logins.map(({ accessToken }) => ({
    headers: { authorization: `Bearer ${accessToken}` },
  }));
  const forToken = logins.map(({ form }) => ({ method: 'POST' as const, headers: formHeaders, body: form }));

  // By turns and for a second each, so that what else the machine does meets both alike.
  const [open, guarded]: [number[], number[]] = [[], []];
  for (let turn = -warmUps; turn < turns; turn++) {
    const one = await load('/v2/bench/open', withToken);
    const other = await load('/v2/bench/protected', withToken);
    if (turn < 0) continue;
    open.push(one);
    guarded.push(other);
  }
  const ratio = median(guarded.map((each, turn) => each / (open[turn] ?? Number.NaN)));
  process.stdout.write(
    `open ${median(open).toFixed(0)}/s, protected ${median(guarded).toFixed(0)}/s, ` +
      `ratio ${ratio.toFixed(2)}  goal at least 0.70\n`,
  );

  const issued: number[] = [];
  for (let turn = 0; turn < warmUps + 3; turn++) issued.push(await load('/v2/oauth/token', forToken));
  process.stdout.write(`tokens issued ${median(issued.slice(warmUps)).toFixed(0)}/s\n`);
} finally {
  await app.close();
  await services.closeServices();
  await parts.close();
  await postgres.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
