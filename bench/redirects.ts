/**
 * Measures the short-link redirect, alternating with an empty Fastify route (baseline): 100,000 links, user agents of real
 * browsers, the whole API in a separate process. Then stops (SIGTERM) and kills (SIGKILL) the API under load, and compares
 * answered and counted clicks. Goals: ratio at least 0.50; SIGTERM loses no click, SIGKILL those of 200 ms and one insert.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Agent, request } from 'undici';
import type { LinkDraft } from '../core/domain/links/link.ts';
import { createLinks } from '../core/domain/links/links.ts';
import { openDatabase } from '../core/postgres/client.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../core/postgres/migrate.ts';
import { rootFolder } from '../core/runtime/discover.ts';
import { freePort } from '../core/runtime/free-port.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { median } from './support/measure.ts';
import { figure } from './support/results.ts';

const links = 100_000;
const connections = 50;
const warmUps = 2;
const rounds = 11;
const roundSeconds = 1;
/** Each round has different slugs, so that all links are opened. */
const slugsPerRound = Math.floor(links / (warmUps + rounds));

const browsers = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
];
const referrers = ['https://www.instagram.com/', 'https://www.google.com/search?q=villa', 'https://t.co/x'];

const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
const logger = createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' });
const postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
await migrateDatabase({ url: postgres.url, logger });
const database = openDatabase({
  url: postgres.url,
  poolSize: 2,
  logger,
  applicationName: 'bench',
  statementTimeoutMs: 0,
});

interface Running {
  origin: string;
  child: ChildProcess;
}

/** Starts a module as a process and waits until it is ready. */
async function startNode(file: string, env: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, ['--import', './core/cli/typescript.mjs', path.join(rootFolder, file)], {
    cwd: rootFolder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.once('exit', code => code && process.stderr.write(`${file} exited with code ${code}\n`));
  const [message]: unknown[] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const ready = typeof message === 'object' && message !== null && 'ready' in message ? message.ready : '';
  return { origin: String(ready), child };
}

const apiPort = String(await freePort());
const startApi = () =>
  startNode('api/main.ts', {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://portal.example',
    LOG_LEVEL: 'info',
    DATABASE_URL: postgres.url,
    DATA_DIR: dataFolder,
    PORT: apiPort,
  });

async function stopProcess(running: Running, signal: NodeJS.Signals): Promise<void> {
  running.child.kill(signal);
  if (running.child.exitCode === null && running.child.signalCode === null) await once(running.child, 'exit');
}

async function createSlugs(): Promise<string[]> {
  const store = createLinks(database, 'http://bench.example');
  const slugs: string[] = [];
  while (slugs.length < links) {
    const drafts = Array.from({ length: 10_000 }, (_, index): LinkDraft => {
      const name = `Listing ${slugs.length + index}`;
      return {
        kind: 'brochure',
        name,
        url: `https://example.com/homes/${index}?ref=1`,
        utm: { source: 'bench' },
        clientId: 'bench',
      };
    });
    slugs.push(...(await store.create(drafts)).map(({ link }) => link.slug));
  }
  return slugs;
}

/** The requests of one round, with varying browsers and referrers. */
const requestsTo = (paths: readonly string[]): autocannon.Request[] =>
  paths.map((each, index) => ({
    method: 'GET' as const,
    path: each,
    headers: {
      'user-agent': browsers[index % browsers.length] ?? '',
      referer: referrers[index % referrers.length] ?? '',
    },
  }));

/** Returns answered requests per second; sends them from a separate thread. */
async function load(origin: string, requests: autocannon.Request[], status: '2xx' | '3xx'): Promise<number> {
  const result = await autocannon({ url: origin, connections, duration: roundSeconds, workers: 1, requests });
  const answered = result[status];
  const others = (['1xx', '2xx', '3xx', '4xx', '5xx'] as const).filter(each => each !== status && result[each] > 0);
  // On a busy machine, connections may break at the end of the round.
  if (result.errors > connections || others.length > 0) {
    throw new Error(
      `${origin}: ${result.errors} requests failed; expected ${status} only, also got ${others.join(', ')}`,
    );
  }
  return answered / result.duration;
}

/** Waits until the running API has written its clicks and returns the number of clicks in the database. */
async function countAfterFlush(): Promise<number> {
  await sleep(2_000);
  return await countClicks();
}

async function countClicks(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>('select count(*)::int as count from click');
  return rows[0]?.count ?? 0;
}

/** Opens links until `stop` aborts, over `connections` connections; retries failed requests. */
async function openLinks(origin: string, slugs: readonly string[], stop: AbortSignal): Promise<Tally> {
  const tally = { answered: 0, failed: 0 };
  const agent = new Agent({ connections, pipelining: 1 });
  const visitor = async (index: number): Promise<void> => {
    for (let position = index; !stop.aborted; position += connections) {
      const url = `${origin}/r/${slugs[position % slugs.length]}`;
      const headers = { 'user-agent': browsers[position % browsers.length] ?? '' };
      const response = await request(url, { dispatcher: agent, headers }).catch(() => undefined);
      await response?.body.dump();
      if (response?.statusCode === 302) tally.answered++;
      else {
        tally.failed++;
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => visitor(index)));
  await agent.close();
  return tally;
}

interface Tally {
  answered: number;
  /** Failed requests; the API may have counted some of them before it was killed. */
  failed: number;
}

/** Opens links while the API ends and is started again. @param mayLoseMs time whose clicks may be lost */
async function restartUnderLoad(slugs: readonly string[], signal: NodeJS.Signals, mayLoseMs: number): Promise<void> {
  const before = await countAfterFlush();
  const stop = new AbortController();
  const startedAt = performance.now();
  const clicking = openLinks(api.origin, slugs, stop.signal);
  await sleep(2_000);
  await stopProcess(api, signal);
  const perMs = ((await countClicks()) - before) / (performance.now() - startedAt);
  api = await startApi();
  await sleep(2_000);
  stop.abort();
  const { answered } = await clicking;
  const counted = (await countAfterFlush()) - before;
  process.stdout.write(`${signal} under load: answered ${answered}, counted ${counted}\n`);
  const lostMs = Math.max(0, answered - counted) / perMs;
  figure(`clicks lost at ${signal}`, lostMs, 'ms', { goal: `${mayLoseMs}` });
  figure(`counted without a response at ${signal}`, Math.max(0, counted - answered), '', { goal: `${connections}` });
  if (lostMs > mayLoseMs || counted - answered > connections) process.exitCode = 1;
}

const empty = await startNode('bench/support/empty-route.ts', {});
let api: Running = empty;
try {
  const slugs = await createSlugs();
  api = await startApi();
  const redirectRequests = (from: number) =>
    requestsTo(slugs.slice(from, from + slugsPerRound).map(slug => `/r/${slug}`));
  const emptyRequests = requestsTo(Array.from({ length: slugsPerRound }, () => '/'));
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < warmUps + rounds; round++) {
    bare.push(await load(empty.origin, emptyRequests, '2xx'));
    ours.push(await load(api.origin, redirectRequests(round * slugsPerRound), '3xx'));
  }
  const ratios = ours.map((each, round) => each / (bare[round] ?? Number.NaN)).slice(warmUps);
  figure('empty route', median(bare.slice(warmUps)), '/s');
  const redirect = median(ours.slice(warmUps));
  figure('redirect', redirect, '/s', { baseline: redirect / median(ratios), goal: 'at least 0.5' });
  await restartUnderLoad(slugs, 'SIGTERM', 0);
  await restartUnderLoad(slugs, 'SIGKILL', 400);
} finally {
  await stopProcess(empty, 'SIGTERM');
  if (api !== empty) await stopProcess(api, 'SIGTERM');
  await database.close();
  await postgres.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
