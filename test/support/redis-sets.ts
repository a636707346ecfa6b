/** A Sentinel set and a six-node Redis Cluster on loopback, whose servers a test can kill and restart. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../core/runtime/free-port.ts';

const run = promisify(execFile);
/** After this time without an answer a master is replaced, in ms. */
const downAfterMs = 2_000;

interface Server {
  port: number;
  kill(): Promise<void>;
  start(): void;
}

export interface RedisSet {
  /** Settings of the service. */
  env: Record<string, string>;
  /** Kills the server that accepts the writes of this key; of a Sentinel set, the master. */
  killMaster(key?: string): Promise<Server>;
  /** Kills the server that sends the messages of this channel to its subscriber; of a Sentinel set it is the master. */
  killSubscribed?(channel: string): Promise<Server>;
  /** Starts a killed server, and waits until it can replace another. */
  restart(server: Server): Promise<void>;
  /** The ports of the servers that keep data. */
  ports: readonly number[];
  stop(): Promise<void>;
}

async function openServer(folder: string, port: number, settings: readonly string[], mode: string[] = []) {
  const home = path.join(folder, String(port));
  await mkdir(home, { recursive: true });
  const file = path.join(home, 'redis.conf');
  await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${home}`, 'save ""', ...settings, ''].join('\n'));
  let process: ChildProcess;
  const server: Server = {
    port,
    start() {
      process = spawn('redis-server', [file, ...mode], { stdio: 'ignore' });
    },
    async kill() {
      const ended = new Promise(resolve => process.once('exit', resolve));
      if (process.exitCode === null && process.signalCode === null && process.kill('SIGKILL')) await ended;
    },
  };
  server.start();
  try {
    await until(async () => /^(PONG|NOAUTH)/.test(await command(port, 'ping').catch(() => '')));
  } catch (error) {
    await server.kill();
    throw error;
  }
  return server;
}

/** All of them, or none is left running. */
async function allOf(opening: readonly Promise<Server>[]): Promise<Server[]> {
  const opened = await Promise.allSettled(opening);
  const failed = opened.find(({ status }) => status === 'rejected');
  if (failed) await stopAll(opened.flatMap(each => (each.status === 'fulfilled' ? [each.value] : [])));
  return await Promise.all(opening);
}

/** One master with two replicas, watched by three Sentinels; password-protected. */
export async function startSentinelSet(folder: string): Promise<RedisSet> {
  const password = 'password-of-the-set';
  const common = ['appendonly yes', 'maxmemory-policy noeviction', `requirepass ${password}`, `masterauth ${password}`];
  const ports = [await freePort(), await freePort(), await freePort()];
  const [first = 0] = ports;
  const servers = await allOf(
    ports.map(port => openServer(folder, port, port === first ? common : [...common, `replicaof 127.0.0.1 ${first}`])),
  );
  const settings = [
    `sentinel monitor portal 127.0.0.1 ${first} 2`,
    `sentinel auth-pass portal ${password}`,
    `sentinel down-after-milliseconds portal ${downAfterMs}`,
    'sentinel failover-timeout portal 5000',
  ];
  const sentinelPorts = [await freePort(), await freePort(), await freePort()];
  const sentinels = await allOf(sentinelPorts.map(port => openServer(folder, port, settings, ['--sentinel'])));
  const [sentinel] = sentinels;
  const ask = (...args: string[]) => command(sentinel?.port ?? 0, ...args);
  await until(async () =>
    /num-slaves\n2\n[\s\S]*num-other-sentinels\n2\n/.test(await ask('sentinel', 'master', 'portal')),
  );
  return {
    env: {
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_MASTER: 'portal',
      REDIS_PASSWORD: password,
    },
    async killMaster() {
      const [, port] = (await ask('sentinel', 'get-master-addr-by-name', 'portal')).split('\n');
      return await killed(servers, Number(port));
    },
    ports,
    restart: async server => server.start(),
    stop: () => stopAll([...sentinels, ...servers]),
  };
}

/** Three masters with a replica each. */
export async function startRedisCluster(folder: string): Promise<RedisSet> {
  const settings = [
    'appendonly yes',
    'maxmemory-policy noeviction',
    'cluster-enabled yes',
    `cluster-node-timeout ${downAfterMs}`,
  ];
  // Cluster servers announce their bus as well, whose port is 10,000 higher.
  const servers = await allOf(
    Array.from({ length: 6 }, async () => await openServer(folder, await freePort(), settings)),
  );
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']);
  const info = async (port: number) => await command(port, 'cluster', 'info').catch(() => '');
  for (const { port } of servers) await until(async () => /cluster_state:ok/.test(await info(port)));
  // A replica that has never copied its master's data does not take over.
  const isLinked = async (port: number) =>
    /master_link_status:up|role:master\s+connected_slaves:1\s/.test(await command(port, 'info', 'replication'));
  for (const { port } of servers) await until(() => isLinked(port));
  const [first = ''] = addresses;
  return {
    env: { REDIS_CLUSTER: `${first},${addresses[1]}` },
    ports: servers.map(({ port }) => port),
    async killMaster(key = '') {
      const alive = await Promise.any(servers.map(({ port }) => command(port, 'ping').then(() => port)));
      const slot = Number(await command(alive, 'cluster', 'keyslot', key));
      const nodes = (await command(alive, 'cluster', 'nodes')).split('\n');
      const port = nodes.flatMap(line => {
        const [, address = '', flags = '', , , , , , ...ranges] = line.split(' ');
        const isOwner = ranges.some(range => {
          const [start, end = start] = range.split('-').map(Number);
          return start !== undefined && end !== undefined && slot >= start && slot <= end;
        });
        return flags.includes('master') && !flags.includes('fail') && isOwner ? [/:(\d+)@/.exec(address)?.[1]] : [];
      });
      return await killed(servers, Number(port[0]));
    },
    async killSubscribed(channel) {
      const counts = await Promise.all(servers.map(({ port }) => command(port, 'pubsub', 'numsub', channel)));
      return await killed(servers, servers[counts.findIndex(count => count.endsWith('\n1'))]?.port ?? 0);
    },
    async restart(server) {
      server.start();
      await until(() => isLinked(server.port));
      for (const { port } of servers) await until(async () => /cluster_state:ok/.test(await info(port)));
    },
    stop: () => stopAll(servers),
  };
}

async function killed(servers: readonly Server[], port: number): Promise<Server> {
  const server = servers.find(one => one.port === port);
  if (!server) throw new Error(`no server of the set has the port ${port}`);
  await server.kill();
  return server;
}

const stopAll = async (servers: readonly Server[]): Promise<void> => {
  await Promise.all(servers.map(server => server.kill()));
};

async function command(port: number, ...args: string[]): Promise<string> {
  return (await run('redis-cli', ['-p', String(port), ...args])).stdout.trim();
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition().catch(() => false))) {
    if (Date.now() > end) throw new Error('a Redis server does not become ready');
    await sleep(100);
  }
}
