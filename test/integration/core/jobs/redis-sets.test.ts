/** Jobs, rate limits and announcements on a Sentinel set and on a Cluster, while the server in use is killed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { coreChecks, runChecks } from '../../../../core/doctor/check.ts';
import { openContext } from '../../../../core/doctor/context.ts';
import { openJobChanges } from '../../../../core/jobs/changes.ts';
import { reconcileJobs } from '../../../../core/jobs/reconciler.ts';
import { openDatabase } from '../../../../core/postgres/client.ts';
import { countPoint, openRateLimits } from '../../../../core/rate-limits/rate-limits.ts';
import { connectRedis, RedisConfig, redisAddress } from '../../../../core/redis/connection.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import { type RedisSet, startRedisCluster, startSentinelSet } from '../../../support/redis-sets.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations } from '../../../support/trial-jobs.ts';

const sets = { 'Sentinel set': startSentinelSet, Cluster: startRedisCluster };

describe.skipIf(inject('redisUrl') === undefined).each(Object.entries(sets))('on a %s', (_, start) => {
  let set: RedisSet;

  beforeAll(async () => {
    set = await start(temporaryFolder());
  });
  afterAll(() => set.stop());

  it('every job runs once although the server of its queue is killed', async () => {
    const redisPrefix = `test-${randomUUID()}`;
    const service = await startTestService('redis-set', {
      backend: 'redis',
      env: set.env,
      redisPrefix,
      contracts: trialContracts,
      operations: trialOperations,
    });
    const client = await service.client(['trial', 'jobs:all']);
    const trials = openTrials();
    trials.when('work', async () => 'done');
    service.startWorker(trials.servedKinds);
    const submit = async () => (await client.requestJob('POST', '/trials/trial', { body: { name: 'work' } })).id;
    const submitted = await Promise.all(Array.from({ length: 40 }, submit));
    const killed = await set.killMaster(`{${redisPrefix}:trial}`);
    const killedAt = Date.now();
    submitted.push(...(await Promise.all(Array.from({ length: 40 }, submit))));
    await expect.poll(() => openJobs(service), { interval: 1_000 }).toBe(0);
    process.stdout.write(`all jobs ended ${((Date.now() - killedAt) / 1_000).toFixed(1)} s after the kill\n`);
    const jobs = await Promise.all(submitted.map(id => client.waitForJob(id)));
    expect(jobs.map(job => job.state)).toEqual(submitted.map(() => 'succeeded'));
    // Each job began once, except those whose run was interrupted by the kill.
    expect(trials.attempts('work').filter(attempt => attempt === 1).length).toBeGreaterThanOrEqual(80);
    await set.restart(killed);
    await service.close();
  });

  it('rate limits are counted by the servers', async () => {
    const redis = redisAddress(readConfig(RedisConfig, set.env));
    const prefix = `test-${randomUUID()}`;
    const limits = openRateLimits({ redis, pool: new pg.Pool(), prefix }, pino({ level: 'silent' }));
    const limiter = limits.limiter({ name: 'trial', points: 2, seconds: 300, withoutRedis: 'memory' });
    const direct = redis && connectRedis(redis, {});
    const stored = async () => {
      await countPoint(limiter, 'caller');
      return Number(await direct?.get(`${prefix}:trial:caller`));
    };
    await expect.poll(stored).toBeGreaterThan(0);
    expect((await countPoint(limiter, 'caller')).isExceeded || (await countPoint(limiter, 'caller')).isExceeded).toBe(
      true,
    );
    limits.close();
    direct?.disconnect();
  });

  it('changes of jobs are announced again after a server in use is killed', async () => {
    const redis = redisAddress(readConfig(RedisConfig, set.env));
    const prefix = `test-${randomUUID()}`;
    const logger = pino({ level: 'silent' });
    const unused = { url: 'postgres://127.0.0.1:1/unused', poolSize: 1, logger, applicationName: 'test' };
    const open = () => openJobChanges({ redis, database: openDatabase(unused), prefix, logger });
    const [sender, receiver] = [open(), open()];
    const heard = new Set<string>();
    const subscription = receiver.subscribe('job', id => void heard.add(id));
    // Announcements are lost while a server is down; receivers poll meanwhile.
    const hearsNews = async () => {
      const id = randomUUID();
      sender.announce('job', id);
      await sleep(50);
      return heard.has(id);
    };
    const channel = `${prefix}:changes:job`;
    await expect.poll(hearsNews).toBe(true);
    for (const kill of [set.killMaster, set.killSubscribed]) {
      const killed = await kill?.(channel);
      if (!killed) continue;
      const killedAt = Date.now();
      await expect.poll(hearsNews).toBe(true);
      process.stdout.write(`announced again ${((Date.now() - killedAt) / 1_000).toFixed(1)} s after the kill\n`);
      await set.restart(killed);
    }
    await subscription.close();
    await Promise.all([sender.close(), receiver.close()]);
  });

  it('the doctor checks the servers that accept writes', async () => {
    const context = openContext({ NODE_ENV: 'production', ...set.env });
    const checks = (await coreChecks()).filter(({ name }) => name === 'redis');
    const [result] = await Promise.all(runChecks(checks, context));
    await context.close();
    const [first, ...others] = result?.findings ?? [];
    expect(first).toMatchObject({
      level: 'ok',
      found: expect.stringMatching(/^Redis \d+\.\d+\.\d+ at .*127\.0\.0\.1:\d+/),
    });
    // The server that was killed may still be copying its data.
    expect(others.map(({ found }) => found).filter(found => !found.includes('has no replica'))).toEqual([]);
  });
});

/** Requeues what was lost, as the workers do every ten seconds. @returns the number of open jobs */
async function openJobs(service: TestService): Promise<number> {
  await service.database.execute(sql`update job set touched_at = now() - interval '1 hour' where state = 'queued'`);
  await reconcileJobs(trialContracts, service).catch(() => undefined);
  const { rows } = await service.database.execute<{ open: string }>(
    sql`select count(*) as open from job where state not in ('succeeded', 'failed', 'cancelled')`,
  );
  return Number(rows[0]?.open);
}
