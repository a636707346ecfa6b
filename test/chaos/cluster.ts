/** The servers of an installation on several machines: a six-node Redis Cluster, PgBouncer, and an S3 server. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { startRedisCluster } from '../support/redis-sets.ts';
import { startS3Server } from '../support/s3-server.ts';

/** As many connections as the documented setting. */
const poolSize = 40;

export type ClusterServers = Awaited<ReturnType<typeof startClusterServers>>;

export async function startClusterServers(dataDir: string, databaseUrl: string) {
  if (!hasPgBouncer) throw new Error('npm run chaos -- --cluster needs pgbouncer and redis-server');
  const redis = await startRedisCluster(path.join(dataDir, 'redis'));
  const store = await startS3Server(path.join(dataDir, 's3'));
  // PgBouncer runs under an account that cannot enter the data folder.
  const poolerFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-pgbouncer-'));
  const pooler = await startPgBouncer(databaseUrl, poolerFolder, poolSize);
  return {
    env: { ...redis.env, DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: databaseUrl, STORAGE_URL: store.url },
    redisUrls: redis.ports.map(port => `redis://127.0.0.1:${port}`),
    /** Waits until the Cluster is whole again: without a second copy, the next kill would lose data by design. */
    async killRedisMaster(key: string, downMs: number): Promise<void> {
      const master = await redis.killMaster(key);
      await sleep(downMs);
      await redis.restart(master);
    },
    restartPooler: pooler.restart,
    restartStore: store.restart,
    async stopPooler(): Promise<void> {
      await pooler.stop();
      await rm(poolerFolder, { recursive: true, force: true });
    },
    stop: () => Promise.all([redis.stop(), store.stop()]),
  };
}
