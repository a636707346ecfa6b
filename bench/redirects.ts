/**
 * The short-link redirect against an empty Fastify route, by turns: 100,000 links, real browsers' user agents, the whole
 * API as a process of its own. Then the count: every answered click must be in the database once, although the API
 * is ended in order and killed while it is under load. Goals: ratio at least 0.50, sent = counted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Agent, request } from 'undici';
import { freePort } from '../core/cli/free-port.ts';
import type { LinkDraft } from '../core/domain/links/link.ts';
import { createLinks } from '../core/domain/links/links.ts';
import { openDatabase } from '../core/postgres/client.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../core/postgres/migrate.ts';
import { rootFolder } from '../core/runtime/discover.ts';
import { createLogger } from '../core/runtime/logger.ts';
import { median } from './support/service.ts';

const links = 100_000;
const connections = 50;
const warmUps = 2;
const turns = 11;
const turnSeconds = 1;
/** Every turn has others, so that all links are opened. */
const slugsATurn = Math.floor(links / (warmUps + turns));

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

/** A process of its own, on a port that stays the same when it is started again. */
async function startNode(file: string, env: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, ['--import', 'tsx', path.join(rootFolder, file)], {
    cwd: rootFolder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.once('exit', code => code && process.stderr.write(`${file} ended with ${code}\n`));
  const [message]: unknown[] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const ready = typeof message === 'object' && message !== null && 'ready' in message ? message.ready : '';
  return { origin: String(ready), child };
}

const apiPort = String(await freePort());
const startApi = () =>
  startNode('api/main.ts', {
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    DATABASE_URL: postgres.url,
    DATA_DIR: dataFolder,
    PORT: apiPort,
  });

async function end(running: Running, signal: NodeJS.Signals): Promise<void> {
  running.child.kill(signal);
  if (running.child.exitCode === null && running.child.signalCode === null) await once(running.child, 'exit');
}

async function makeSlugs(): Promise<string[]> {
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

/** Requests to send in turn; each connection begins at another place. */
const requestsTo = (paths: readonly string[]): autocannon.Request[] =>
  paths.map((each, index) => ({
    method: 'GET' as const,
    path: each,
    headers: {
      'user-agent': browsers[index % browsers.length] ?? '',
      referer: referrers[index % referrers.length] ?? '',
    },
  }));

/** Requests answered in a second, sent from a thread of its own. */
async function load(origin: string, requests: autocannon.Request[], status: '2xx' | '3xx'): Promise<number> {
  const result = await autocannon({ url: origin, connections, duration: turnSeconds, workers: 1, requests });
  const answered = result[status];
  const others = (['1xx', '2xx', '3xx', '4xx', '5xx'] as const).filter(
    each => each !== status && result[each] > 0,
  );
  // On a busy machine a connection may be cut when the time is over.
  if (result.errors > connections || others.length > 0) {
    throw new Error(
      `${origin}: ${result.errors} requests failed; answered ${others.join(', ')} besides ${status}`,
    );
  }
  return answered / result.duration;
}

/** Clicks in the database once nothing waits in a journal. */
async function countedAtLast(): Promise<number> {
  while ((await readdir(path.join(dataFolder, 'clicks'))).length > 0) await sleep(200);
  const { rows } = await database.pool.query<{ count: number }>('select count(*)::int as count from click');
  return rows[0]?.count ?? 0;
}

/** Clicks until told to stop, each connection of its own; a refused or broken one is tried again. */
async function clickAlong(origin: string, slugs: readonly string[], stop: AbortSignal): Promise<Tally> {
  const tally = { answered: 0, broken: 0 };
  const agent = new Agent({ connections, pipelining: 1 });
  const visitor = async (index: number): Promise<void> => {
    for (let turn = index; !stop.aborted; turn += connections) {
      const url = `${origin}/r/${slugs[turn % slugs.length]}`;
      const headers = { 'user-agent': browsers[turn % browsers.length] ?? '' };
      const answer = await request(url, { dispatcher: agent, headers }).catch(() => undefined);
      await answer?.body.dump();
      if (answer?.statusCode === 302) tally.answered++;
      else {
        tally.broken++;
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
  /** Refused, or begun and never answered: those may have been counted when the process was killed. */
  broken: number;
}

/** Clicks while the API is ended and started again; both are told, and what the database has more. */
async function restartUnderLoad(slugs: readonly string[], signal: NodeJS.Signals): Promise<void> {
  const before = await countedAtLast();
  const stop = new AbortController();
  const clicking = clickAlong(api.origin, slugs, stop.signal);
  await sleep(2_000);
  await end(api, signal);
  api = await startApi();
  await sleep(2_000);
  stop.abort();
  const { answered } = await clicking;
  const counted = (await countedAtLast()) - before;
  process.stdout.write(
    `${signal} in the middle: answered ${answered}, counted ${counted}, lost ${Math.max(0, answered - counted)}` +
      `, taken but cut off before the answer ${Math.max(0, counted - answered)} (at most ${connections})\n`,
  );
  if (counted < answered || counted - answered > connections) process.exitCode = 1;
}

const empty = await startNode('bench/support/empty-route.ts', {});
let api: Running = empty;
try {
  const slugs = await makeSlugs();
  api = await startApi();
  const some = (from: number) => requestsTo(slugs.slice(from, from + slugsATurn).map(slug => `/r/${slug}`));
  const emptyRequests = requestsTo(Array.from({ length: slugsATurn }, () => '/'));
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < warmUps + turns; turn++) {
    bare.push(await load(empty.origin, emptyRequests, '2xx'));
    ours.push(await load(api.origin, some(turn * slugsATurn), '3xx'));
  }
  const ratios = ours.map((each, turn) => each / (bare[turn] ?? Number.NaN)).slice(warmUps);
  process.stdout.write(
    `empty route ${median(bare.slice(warmUps)).toFixed(0)}/s, redirect ${median(ours.slice(warmUps)).toFixed(0)}/s, ` +
      `ratio ${median(ratios).toFixed(2)}  goal at least 0.50\n`,
  );
  await restartUnderLoad(slugs, 'SIGTERM');
  await restartUnderLoad(slugs, 'SIGKILL');
} finally {
  await end(empty, 'SIGTERM');
  if (api !== empty) await end(api, 'SIGTERM');
  await database.close();
  await postgres.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
