/** The whole service under supervision, with its own PostgreSQL, Redis and sandbox. */
import { randomUUID } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { runningPostmaster } from '../../core/postgres/embedded/pid-file.ts';
import { freePort } from '../../core/runtime/free-port.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../support/callback-receiver.ts';
import { type MailReceiver, startMailReceiver } from '../support/mail-receiver.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess } from '../support/processes.ts';
import { type SandboxControl, sandboxControl } from '../support/sandbox.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { removeServer, startOwnPostgres, temporaryFolder } from '../support/test-postgres.ts';
import { startRedis, type TestRedis } from '../support/test-redis.ts';
import { type ClusterServers, startClusterServers } from './cluster.ts';
import { findLeftovers, type Leftovers } from './leftovers.ts';
import { releasedJob } from './released-job.ts';
import { type ClientCredentials, createRetryingClient, type RetryingClient } from './retrying-client.ts';
import { type SupervisedProcess, supervise } from './supervisor.ts';
import { type FailureKind, startVendorProxy, type VendorProxy } from './vendor-proxy.ts';

export interface ProcessCounts {
  apis: number;
  workers: number;
  schedulers: number;
}

export interface ChaosEnvironment {
  backend: QueueBackend;
  databaseUrl: string;
  /** Undefined: the service reaches PostgreSQL directly. */
  databaseProxy: TcpProxy | undefined;
  /** The address of a single Redis. */
  redisUrl: string | undefined;
  sandbox: SandboxControl;
  sandboxUrl: string;
  /** Between the service and the sandbox; undefined: the service calls the sandbox itself. */
  proxy: VendorProxy | undefined;
  receiver: CallbackReceiver;
  /** Receives notifications. */
  mails: MailReceiver;
  /** URLs of the APIs, with the base path. */
  apis: readonly string[];
  login: ClientCredentials;
  processes: readonly SupervisedProcess[];
  /** In the environment of every process of the service and its children. */
  marker: string;
  /** Stops PostgreSQL with the signal and starts it again after `downMs`. */
  restartPostgres(signal: NodeJS.Signals, downMs: number): Promise<void>;
  /** Undefined on a single machine. */
  cluster: ClusterServers | undefined;
  /** The same with Redis; undefined with queues in PostgreSQL, and in a cluster. */
  restartRedis: ((signal: NodeJS.Signals, downMs: number) => Promise<void>) | undefined;
  /** Shuts everything down and reports what remains. */
  close(): Promise<Leftovers>;
}

/** After so many seconds without a heartbeat a worker counts as dead; longer than a restart of Redis. */
export const lockSeconds = 6;
/** The longest delay of the sandbox, in ms; it has executed every request by then. */
export const maxDelayMs = 6_000;
const settlingSeconds = 8;

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

export interface EnvironmentOptions {
  /** Failures of vendor systems; without them, the service calls the sandbox without a proxy. */
  failures?: readonly FailureKind[];
  /** Redis Cluster, pooler and object storage instead of one Redis and files. */
  onCluster?: boolean;
  /** Additional variables of the service. */
  env?: Record<string, string>;
  /** Additional variables of the first API, worker and scheduler. */
  envOfFirst?: Record<string, string>;
  /** The service reaches PostgreSQL by a proxy, which can be slow. */
  hasDatabaseProxy?: boolean;
}

export async function openEnvironment(
  backend: QueueBackend,
  counts: ProcessCounts,
  { failures, onCluster = false, env: more = {}, envOfFirst = {}, hasDatabaseProxy = false }: EnvironmentOptions = {},
): Promise<ChaosEnvironment> {
  const dataDir = await temporaryFolder();
  const temporary = path.join(dataDir, 'tmp');
  await mkdir(temporary);
  await shareLoaderCache(temporary);
  linkBrowserFolder(dataDir);
  const marker = `chaos-${randomUUID()}`;
  const startPostgres = () => startOwnPostgres(dataDir);
  const { url: databaseUrl } = await startPostgres();
  const databaseProxy = hasDatabaseProxy ? await startTcpProxy(databaseUrl) : undefined;
  const data = path.join(dataDir, 'postgres/cluster/data');
  const cluster = onCluster ? await startClusterServers(dataDir, databaseUrl) : undefined;
  let redis = backend === 'redis' && !cluster ? await startRedis() : undefined;
  const receiver = await startCallbackReceiver();
  const mails = await startMailReceiver();
  const sandboxPort = await freePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const proxy = failures && (await startVendorProxy(sandboxUrl, failures));
  const login = { id: 'chaos', secret: randomUUID() };
  const env = {
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    CHAOS_RUN: marker,
    TMPDIR: temporary,
    DATA_DIR: dataDir,
    DATABASE_URL: databaseProxy?.url ?? databaseUrl,
    SANDBOX_PORT: String(proxy?.port ?? sandboxPort),
    EGRESS_ALLOW: `127.0.0.1:${sandboxPort},${receiver.host}`,
    BOOTSTRAP_CLIENT_ID: login.id,
    BOOTSTRAP_CLIENT_SECRET: login.secret,
    // Only runs that kill workers need a short lock: on a busy machine it also expires while a worker lives.
    ...(!failures && { WORKER_LOCK_SECONDS: String(lockSeconds) }),
    SETTLING_SECONDS: String(settlingSeconds),
    CALLBACK_RETRY_SECONDS: '1,1,1,2,2,2,4,4',
    SCHEDULES_OFF: '',
    REQUESTS_PER_MINUTE: '60000',
    CRM_REQUESTS_PER_SECOND: '50',
    CRM_REQUEST_BURST: '1000',
    LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
    EVENTS_CALLS_PER_HOUR: '100000',
    SMS_PARTS_PER_CLIENT_DAY: '100000',
    SMTP_URL: mails.url,
    MAIL_FROM: 'Portal Service <portal@meridianpalm.example>',
    NOTIFY_MAIL_TO: 'operations@meridianpalm.example',
    ...(redis && { REDIS_URL: redis.url }),
    ...cluster?.env,
    ...more,
  };
  const sandboxProcess = await startSandboxProcess({ ...env, SANDBOX_PORT: String(sandboxPort) });
  const sandbox = sandboxControl(sandboxUrl);
  await sandbox.settings('crm', { callCapacity: 1_000, callsPerSecond: 50, operatingLimitSeconds: 0 });
  await sandbox.settings('listing-portal', { callLimit: false });
  await sandbox.settings('employee-records', { linkedEmployees: 5 });
  await sandbox.data('employee-records', 'attendance', 'reset');

  const envOf = (index: number) => (index === 1 ? { ...env, ...envOfFirst } : env);
  const ports = await Promise.all(Array.from({ length: counts.apis }, freePort));
  const processes = [
    ...ports.map((port, index) =>
      supervise(`api ${index + 1}`, 'api', 'api/main.ts', { ...envOf(index + 1), PORT: String(port) }),
    ),
    ...repeat(counts.workers, index => supervise(`worker ${index}`, 'worker', 'workers/main.ts', envOf(index))),
    ...repeat(counts.schedulers, index =>
      supervise(`scheduler ${index}`, 'scheduler', 'workers/scheduler.ts', envOf(index)),
    ),
  ];
  // For an interrupted run: frozen processes and the servers would keep running.
  const killAll = () => {
    for (const one of processes) one.kill();
    endServers(data, redis);
    void cluster?.stopPooler();
    void cluster?.stop();
  };
  process.once('exit', killAll);
  await Promise.all(processes.map(one => one.waitUntilReady(120_000)));
  const apis = ports.map(port => `http://127.0.0.1:${port}/v2`);
  await releaseFirstRead(createRetryingClient(apis, login), databaseUrl);

  return {
    backend,
    databaseUrl,
    databaseProxy,
    sandbox,
    sandboxUrl,
    proxy,
    receiver,
    mails,
    login,
    processes,
    marker,
    cluster,
    redisUrl: redis?.url,
    apis,
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
        const exited = new Promise(resolve => server.once('exit', resolve));
        server.kill(signal);
        await exited;
        await sleep(downMs);
        redis = await startRedis({ port, folder });
      }),
    async close() {
      await Promise.all(processes.map(process => process.stop()));
      // Its connections to PostgreSQL stay open for the next transaction.
      await cluster?.stopPooler();
      const leftovers = await findLeftovers({
        marker,
        except: sandboxProcess.pid,
        databaseUrl,
        temporary,
        ports,
        redis: redis ? [redis.url] : (cluster?.redisUrls ?? []),
      });
      sandboxProcess.kill('SIGTERM');
      await sandboxProcess.ended;
      await receiver.close();
      await mails.close();
      await proxy?.close();
      await databaseProxy?.close();
      await redis?.stop();
      await cluster?.stop();
      await removeServer(dataDir);
      process.off('exit', killAll);
      return leftovers;
    },
  };
}

/** Closes the environment after its run, also when that fails. @returns the run, with what its processes left behind */
export async function closeAfter<Run extends object>(environment: ChaosEnvironment, running: Promise<Run>) {
  const run = await running.catch(async error => {
    await environment.close();
    throw error;
  });
  return { ...run, leftovers: await environment.close() };
}

function endServers(data: string, redis: TestRedis | undefined): void {
  redis?.process.kill('SIGKILL');
  const postmaster = runningPostmaster(data);
  if (postmaster) process.kill(postmaster.pid, 'SIGQUIT');
}

const repeat = <Made>(count: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

/** Otherwise all location syncs of the run would be held, as first reads of the listing portal. */
async function releaseFirstRead(client: RetryingClient, databaseUrl: string): Promise<void> {
  const request = { method: 'POST', path: '/apps/listing-portal/v1/locations/update', body: {} } as const;
  const job = await releasedJob(client, databaseUrl, request, 120_000);
  if (job?.state !== 'succeeded')
    throw new Error(`The first read of the listing portal is ${job?.state}: ${job?.detail}`);
}

/** Otherwise each run compiles all sources, in each process that it starts. */
async function shareLoaderCache(temporary: string): Promise<void> {
  const name = `tsx-${os.userInfo().uid}`;
  const shared = path.join(os.tmpdir(), name);
  await mkdir(shared, { recursive: true });
  await symlink(shared, path.join(temporary, name));
}

/** The run never kills the sandbox, which records the effects. */
async function startSandboxProcess(env: Record<string, string>): Promise<ServiceProcess> {
  const running = startProcess('sandbox/main.ts', { env });
  await running.ready;
  return running;
}
