/** How many statements of PostgreSQL and commands of Redis requests and brochures cost. */
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { JobResource } from '../../../core/jobs/resource.ts';
import { readConfig } from '../../../core/runtime/config.ts';
import { type LogContext, logContext } from '../../../core/telemetry/log-context.ts';
import pdfJob from '../../../workers/pdf/contract.ts';
import pdfHandler from '../../../workers/pdf/handler.ts';
import type { ApiClient, Reply } from '../../support/api-client.ts';
import { type PhotoServer, startPhotoServer } from '../../support/photo-server.ts';
import { cacheFolder } from '../../support/printing.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

vi.setConfig({ testTimeout: 180_000 });

// Queues and announcements in PostgreSQL send statements of their own.
const redisUrl = inject('redisUrl');

let service: TestService;
let client: ApiClient;
let photos: PhotoServer;
/** What requests and runs sent, without what connections, queues and schedules send by themselves. */
const sent: (LogContext & { command: string })[] = [];

const { query } = pg.Client.prototype;
const { sendCommand } = Redis.prototype;

beforeAll(async () => {
  if (redisUrl === undefined) return;
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...given: unknown[]) {
      const [asked] = given;
      const text = typeof asked === 'object' && asked !== null && 'text' in asked ? asked.text : asked;
      sent.push({ ...logContext(), command: nameOf(String(text)) });
      return Reflect.apply(query, this, given);
    },
  });
  vi.spyOn(Redis.prototype, 'sendCommand').mockImplementation(function (this: Redis, ...given) {
    sent.push({ ...logContext(), command: `redis ${given[0].name}` });
    return Reflect.apply(sendCommand, this, given);
  });
  photos = await startPhotoServer();
  service = await startTestService('statement counts', { contracts: new Map([['pdf', pdfJob]]), backend: 'redis' });
  mkdirSync(cacheFolder, { recursive: true });
  symlinkSync(cacheFolder, path.join(service.dataFolder, 'browser'));
  const config = readConfig(pdfHandler.config, { ...process.env, EGRESS_ALLOW: `127.0.0.1:${photos.port}` });
  service.startWorker([{ contract: pdfJob, handler: await pdfHandler.open(config, service) }]);
  client = await service.client(['pdf']);
  // Opens connections, and prepares the scripts of Redis.
  await ended((await print(0)).body);
});
afterAll(async () => {
  Object.assign(pg.Client.prototype, { query });
  vi.restoreAllMocks();
  await service?.close();
  await photos?.close();
});

/** What is sent once in a while, however many requests and jobs there are. */
const periodic = ['typical times', 'use of the client', 'progress or heartbeat'];
const names: readonly [RegExp, string][] = [
  [/^with "given"/, 'insert job'],
  [/percentile_cont/, 'typical times'],
  [/^update "oauth_client"/, 'use of the client'],
  [/"oauth_token"/, 'find token'],
  [/^insert into "idempotency_key"/, 'claim key'],
  [/"job_input"/, 'find input'],
  [/^update "job" set ("progress"|"touched_at")/, 'progress or heartbeat'],
  [/^update "job" set "state" = case/, 'begin run'],
  [/^update "job" set "state"/, 'end run'],
  [/^select "id"/, 'find job'],
];
const nameOf = (text: string): string => names.find(([pattern]) => pattern.test(text))?.[1] ?? text;

function print(number: number, headers: Record<string, string> = {}): Promise<Reply> {
  const list = [{ reference_number: `REF-${number}`, title_en: 'Villa', photo: [photos.photo(number)] }];
  return client.request('POST', '/apps/portal/v1/pdf', { body: { list }, headers });
}

async function ended(body: unknown): Promise<string> {
  const { id } = JobResource.parse(body);
  const state = async () => (await service.records.find(id))?.state;
  await vi.waitUntil(async () => (await state()) === 'succeeded', { timeout: 120_000, interval: 100 });
  return id;
}

/** Waits until the run has sent its last statement. */
async function sentByRun(jobId: string): Promise<string[]> {
  const ofRun = () => sent.flatMap(each => (each.jobId === jobId ? [each.command] : []));
  await expect.poll(() => ofRun()).toContain('end run');
  return ofRun();
}

const sentBy = ({ headers }: Reply): string[] => {
  const requestId = headers.get('x-request-id');
  return sent.flatMap(each => (each.requestId === requestId && each.jobId === undefined ? [each.command] : []));
};
const statements = (commands: readonly string[]) =>
  commands.filter(command => !command.startsWith('redis ') && !periodic.includes(command));
const redisCommands = (commands: readonly string[]) => commands.filter(command => command.startsWith('redis '));

describe.skipIf(redisUrl === undefined)('PostgreSQL gets', () => {
  it('two statements for an accepted job, and three for its run', async () => {
    const accepted = await print(1);
    expect(statements(sentBy(accepted))).toEqual(['find token', 'insert job']);
    const run = statements(await sentByRun(await ended(accepted.body)));
    expect(run).toEqual(['begin run', 'find input', 'end run']);
  });

  it('one statement more for a request with an idempotency key', async () => {
    const accepted = await print(2, { 'idempotency-key': 'statement-counts' });
    expect(statements(sentBy(accepted))).toEqual(['find token', 'claim key', 'insert job']);
    await ended(accepted.body);
  });

  it('two statements for a request of the job', async () => {
    const id = await ended((await print(3)).body);
    expect(statements(sentBy(await client.request('GET', `/jobs/${id}`)))).toEqual(['find token', 'find job']);
  });
});

describe.skipIf(redisUrl === undefined)('Redis gets', () => {
  it('one command for the request limit, one for the message, and one for each change of the job', async () => {
    const accepted = await print(4);
    expect(redisCommands(sentBy(accepted))).toEqual(['redis evalsha', 'redis evalsha']);
    const id = await ended(accepted.body);
    const run = await sentByRun(id);
    const changes = run.filter(command => ['begin run', 'progress or heartbeat', 'end run'].includes(command));
    const announced = redisCommands(run);
    expect(new Set(announced)).toEqual(new Set(['redis publish']));
    expect(announced.length).toBeLessThanOrEqual(changes.length);
    expect(redisCommands(sentBy(await client.request('GET', `/jobs/${id}`)))).toEqual(['redis evalsha']);
  });
});
