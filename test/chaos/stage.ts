/** The whole service as a supervisor runs it, on a PostgreSQL, a Redis and a sandbox of its own, to be broken. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { freePort } from '../../core/cli/free-port.ts';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { runningPostmaster } from '../../core/postgres/embedded/pid-file.ts';
import { startEmbeddedPostgres } from '../../core/postgres/embedded/server.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../support/callback-receiver.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess } from '../support/processes.ts';
import { type SandboxControl, sandboxControl } from '../support/sandbox.ts';
import { fastSettings, removeServer, temporaryFolder } from '../support/test-postgres.ts';
import { startRedis, type TestRedis } from '../support/test-redis.ts';
import type { Login } from './good-client.ts';
import { type LeftBehind, leftBehind } from './left-behind.ts';
import { type Supervised, supervise } from './supervised.ts';

export interface Crew {
  apis: number;
  workers: number;
  schedulers: number;
}

export interface Stage {
  backend: QueueBackend;
  databaseUrl: string;
  sandbox: SandboxControl;
  sandboxUrl: string;
  receiver: CallbackReceiver;
  /** Addresses of the APIs, with the base path. */
  apis: readonly string[];
  login: Login;
  processes: readonly Supervised[];
  /** The marker that every process of the service has in its environment, and its children too. */
  brand: string;
  /** Ends PostgreSQL by a signal, and starts it again after a while. */
  restartPostgres(signal: NodeJS.Signals, downMs: number): Promise<void>;
  /** The same with Redis; undefined with queues in PostgreSQL. */
  restartRedis: ((signal: NodeJS.Signals, downMs: number) => Promise<void>) | undefined;
  /** Stops everything in order, and looks at what is left. */
  close(): Promise<LeftBehind>;
}

/** A worker that gave no sign for so long counts as dead, in s: more than a restart of Redis takes. */
export const lockSeconds = 6;
/** The slowest that the sandbox is made, in ms; what it was sent it has carried out by then. */
export const slowestMs = 6_000;
const settlingSeconds = 8;

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

export async function openStage(backend: QueueBackend, crew: Crew): Promise<Stage> {
  const dataDir = await temporaryFolder();
  const temporary = path.join(dataDir, 'tmp');
  await mkdir(temporary);
  linkBrowserFolder(dataDir);
  const brand = `chaos-${randomUUID()}`;
  const startPostgres = () =>
    startEmbeddedPostgres({ dataDir, logger: pino({ level: 'silent' }), extraSettings: fastSettings });
  const { url: databaseUrl } = await startPostgres();
  const data = path.join(dataDir, 'postgres/cluster/data');
  let redis = backend === 'redis' ? await startRedis() : undefined;
  const receiver = await startCallbackReceiver();
  const sandboxPort = await freePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const login = { id: 'chaos', secret: randomUUID() };
  const env = {
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    CHAOS_RUN: brand,
    TMPDIR: temporary,
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    SANDBOX_PORT: String(sandboxPort),
    EGRESS_ALLOW: `127.0.0.1:${sandboxPort},${receiver.host}`,
    BOOTSTRAP_CLIENT_ID: login.id,
    BOOTSTRAP_CLIENT_SECRET: login.secret,
    WORKER_LOCK_SECONDS: String(lockSeconds),
    SETTLING_SECONDS: String(settlingSeconds),
    CALLBACK_RETRY_SECONDS: '1,1,1,2,2,2,4,4',
    SCHEDULES_OFF: '',
    REQUESTS_PER_MINUTE: '60000',
    CRM_REQUESTS_PER_SECOND: '50',
    CRM_REQUEST_BURST: '1000',
    LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
    EVENTS_CALLS_PER_HOUR: '100000',
    SMS_PARTS_PER_CLIENT_DAY: '100000',
    ...(redis && { REDIS_URL: redis.url }),
  };
  const sandboxProcess = await startSandboxProcess(env);
  const sandbox = sandboxControl(sandboxUrl);
  await sandbox.settings('crm', { callCapacity: 1_000, callsPerSecond: 50, operatingLimitSeconds: 0 });
  await sandbox.settings('listing-portal', { callLimit: false });

  const ports = await Promise.all(Array.from({ length: crew.apis }, freePort));
  const processes = [
    ...ports.map((port, index) =>
      supervise(`api ${index + 1}`, 'api', 'api/main.ts', { ...env, PORT: String(port) }),
    ),
    ...many(crew.workers, index => supervise(`worker ${index}`, 'worker', 'workers/main.ts', env)),
    ...many(crew.schedulers, index =>
      supervise(`scheduler ${index}`, 'scheduler', 'workers/scheduler.ts', env),
    ),
  ];
  // When the run itself is broken off: a frozen process, and servers that are nobody's children, would outlive it.
  const abandon = () => {
    for (const one of processes) one.kill();
    endServers(data, redis);
  };
  process.once('exit', abandon);
  await Promise.all(processes.map(one => one.ready(120_000)));

  return {
    ...{ backend, databaseUrl, sandbox, sandboxUrl, receiver, login, processes, brand },
    apis: ports.map(port => `http://127.0.0.1:${port}/v2`),
    async restartPostgres(signal, downMs) {
      const running = runningPostmaster(data);
      if (running) process.kill(running.pid, signal);
      while (runningPostmaster(data)) await sleep(20);
      await sleep(downMs);
      await startPostgres();
    },
    restartRedis:
      redis &&
      (async (signal, downMs) => {
        const { port, folder, process: server } = redis ?? (await startRedis());
        const gone = new Promise(resolve => server.once('exit', resolve));
        server.kill(signal);
        await gone;
        await sleep(downMs);
        redis = await startRedis({ port, folder });
      }),
    async close() {
      await Promise.all(processes.map(process => process.stop()));
      const left = await leftBehind({
        brand,
        except: sandboxProcess.pid,
        databaseUrl,
        temporary,
        ports,
        redis: redis?.url,
      });
      sandboxProcess.kill('SIGTERM');
      await sandboxProcess.ended;
      await receiver.close();
      await redis?.stop();
      await removeServer(dataDir);
      process.off('exit', abandon);
      return left;
    },
  };
}

function endServers(data: string, redis: TestRedis | undefined): void {
  redis?.process.kill('SIGKILL');
  const postmaster = runningPostmaster(data);
  if (postmaster) process.kill(postmaster.pid, 'SIGQUIT');
}

const many = <Made>(count: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

/** It is never killed: what it keeps is the evidence. */
async function startSandboxProcess(env: Record<string, string>): Promise<ServiceProcess> {
  const running = startProcess('sandbox/main.ts', { env });
  await running.ready;
  return running;
}
