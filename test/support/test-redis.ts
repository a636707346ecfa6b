/**
 * Vitest's `globalSetup`: a Redis for the whole run, from REDIS_URL or a local `redis-server`.
 * Without Redis, it prints that the tests of this backend are skipped.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { TestProject } from 'vitest/node';
import { freePort } from '../../core/runtime/free-port.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined without Redis on this machine. */
    redisUrl: string | undefined;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await openRedis();
  project.provide('redisUrl', redis?.url);
  return async () => redis?.stop();
}

/** Uses TEST_REDIS_URL or REDIS_URL if set, otherwise starts a `redis-server`; undefined without one. */
export async function openRedis(): Promise<Pick<TestRedis, 'url' | 'stop'> | undefined> {
  const given = process.env.TEST_REDIS_URL ?? process.env.REDIS_URL;
  if (given !== undefined && given !== '') return { url: given, stop: async () => undefined };
  if (spawnSync('redis-server', ['--version']).status === 0) return await startRedis();
  process.stdout.write('\n SKIPPED: the tests of queues on Redis (no redis-server found, REDIS_URL not set)\n\n');
  return undefined;
}

export interface TestRedis {
  url: string;
  port: number;
  folder: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a Redis with the production settings: append-only, no eviction. */
export async function startRedis(given: { port?: number; folder?: string } = {}): Promise<TestRedis> {
  const port = given.port ?? (await freePort());
  const folder = given.folder ?? (await mkdtemp(path.join(os.tmpdir(), 'portal-test-redis-')));
  const settings = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', '', '--bind', '127.0.0.1'];
  const server = spawn('redis-server', ['--port', String(port), '--dir', folder, ...settings], { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}`;
  await waitForRedis(url);
  return {
    url,
    port,
    folder,
    process: server,
    async stop() {
      const ended = new Promise(resolve => server.once('exit', resolve));
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGTERM');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitForRedis(url: string): Promise<void> {
  const client = new Redis(url, { maxRetriesPerRequest: 100, retryStrategy: () => 50 });
  // Connections are refused until the server listens.
  client.on('error', () => undefined);
  await client.ping();
  client.disconnect();
}
