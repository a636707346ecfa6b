/**
 * Measures how many jobs one API process accepts: the built service in production mode, 32 callers of one client, no worker.
 * Queues are in Redis when REDIS_URL is set. Prints the commits of PostgreSQL and, of a Redis that nothing else uses, the
 * scripts it ran (request limit and message) for each job as well. Baseline: the liveness route with the same callers. Goals: 800 accepted/s on an
 * idle core, POST to 202 at most 4 times as long as liveness.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { withConnection } from '../core/postgres/connection.ts';
import { openBuild } from './support/built-process.ts';
import { ownCpuSeconds } from './support/cpu-time.ts';
import { median } from './support/measure.ts';
import { figure } from './support/results.ts';

const callers = 32;
const seconds = 10;
const warmUps = 100;
const secret = 'bench'.repeat(10);

const build = await openBuild();
const api = await build.start(['api/main.js'], {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'https://portal.example',
  OPS_USER: 'ops',
  OPS_PASSWORD: secret,
  BOOTSTRAP_CLIENT_ID: 'bench',
  BOOTSTRAP_CLIENT_SECRET: secret,
  MAX_OPEN_JOBS: '1000000',
  REQUESTS_PER_MINUTE: '10000000',
});
const agent = new http.Agent({ keepAlive: true, maxSockets: callers });

/** @returns ms until the whole response arrived */
function timed(path: string, status: number, options: http.RequestOptions = {}, body = ''): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(`${api.ready}/v2${path}`, { agent, ...options }, response => {
      response.resume().once('end', () => {
        if (response.statusCode === status) resolve(performance.now() - startedAt);
        else reject(new Error(`${path} answered ${response.statusCode} instead of ${status}`));
      });
    });
    request.once('error', reject).end(body);
  });
}

async function accessToken(): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'bench', client_secret: secret });
  const response = await fetch(`${api.ready}/v2/oauth/token`, { method: 'POST', body });
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token;
}

/** Calls with all callers for `seconds`. */
async function throughput(call: () => Promise<number>): Promise<{ perSecond: number; cpuMs: number; times: number[] }> {
  const times: number[] = [];
  const startedAt = performance.now();
  const cpuBefore = ownCpuSeconds(api.pid);
  const caller = async () => {
    while (performance.now() - startedAt < seconds * 1_000) times.push(await call());
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const perSecond = times.length / ((performance.now() - startedAt) / 1_000);
  return { perSecond, cpuMs: ((ownCpuSeconds(api.pid) - cpuBefore) * 1_000) / times.length, times };
}

/** Commits of PostgreSQL and scripts of Redis so far. */
async function readCounters(): Promise<{ commits: number; scripts: number | undefined }> {
  // Sessions report their commits after a second without any.
  await sleep(1_500);
  const { rows } = await withConnection({ connectionString: build.postgresUrl }, client =>
    client.query('select xact_commit from pg_stat_database where datname = current_database()'),
  );
  const commits = Number(rows[0]?.xact_commit);
  if (!process.env.REDIS_URL) return { commits, scripts: undefined };
  const redis = new Redis(process.env.REDIS_URL);
  const stats = await redis.info('commandstats');
  redis.disconnect();
  return { commits, scripts: Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]) };
}

try {
  const headers = { authorization: `Bearer ${await accessToken()}`, 'content-type': 'application/json' };
  let number = 0;
  const submit = () => {
    const listing = { reference_number: `R-${number++}`, title_en: 'Villa', price: '14750000' };
    return timed('/apps/portal/v1/pdf', 202, { method: 'POST', headers }, JSON.stringify({ list: [listing] }));
  };
  const live = () => timed('/health', 200);
  const alone: Record<'submit' | 'live', number[]> = { submit: [], live: [] };
  for (let round = 0; round < 2 * warmUps; round++) {
    alone.submit.push(await submit());
    alone.live.push(await live());
  }
  const [post, health] = [median(alone.submit.slice(warmUps)), median(alone.live.slice(warmUps))];
  figure('a single caller', post, 'ms', { baseline: health, goal: 'at most 4 times' });
  for (const [name, call] of Object.entries({ live, submit })) {
    const before = await readCounters();
    const { perSecond, cpuMs, times } = await throughput(call);
    const after = await readCounters();
    const sorted = times.sort((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
    const about = `${callers} callers, ${name}`;
    figure(about, perSecond, '/s', name === 'submit' ? { goal: '800' } : {});
    figure(`${about}: with a core of its own`, 1_000 / cpuMs, '/s');
    figure(`${about}: p50`, median(times), 'ms');
    figure(`${about}: p99`, p99, 'ms');
    if (name !== 'submit') continue;
    figure('CPU of the API for each job', cpuMs, 'ms', { goal: '1.25' });
    figure('commits of PostgreSQL for each job', (after.commits - before.commits) / times.length, '');
    if (after.scripts !== undefined)
      figure('scripts of Redis for each job', (after.scripts - (before.scripts ?? 0)) / times.length, '');
  }
} finally {
  agent.destroy();
  await api.stop();
  await build.close();
}
