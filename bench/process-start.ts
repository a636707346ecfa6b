/**
 * Measures the start of each process of the built service: CPU time (user and system) and resident memory when it reports
 * that it is ready. A browser's own processes are not counted. Linux only. Baseline: Node.js without a program.
 * Goals: a worker of one family 0.6 s and 120 MB, the API 0.8 s.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { freePort } from '../core/cli/free-port.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../core/postgres/migrate.ts';
import { ownCpuSeconds } from './support/cpu-time.ts';
import { median } from './support/measure.ts';
import { residentMegabytes } from './support/process-tree.ts';
import { buildService } from './support/service.ts';

const rounds = 5;

const programs: [name: string, ...command: string[]][] = [
  ['API', 'api/main.js'],
  ['worker, leads', 'workers/main.js', 'leads'],
  ['worker, location-sync', 'workers/main.js', 'location-sync'],
  ['worker, pdf', 'workers/main.js', 'pdf'],
  ['worker, all kinds', 'workers/main.js'],
  ['scheduler', 'workers/scheduler.js'],
  ['sandbox', 'sandbox/main.js'],
];
const only = process.argv.slice(3);

const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
const logger = pino({ level: 'silent' });
const postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
await migrateDatabase({ url: postgres.url, logger });
const built = await buildService();
const sandboxPort = await freePort();

const ready = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.on('message', message => void (typeof message === 'object' && 'ready' in message && resolve()));
    child.once('exit', code => reject(new Error(`the process ended with ${code} before it was ready`)));
  });

async function start([file = '', ...args]: string[]): Promise<{ seconds: number; megabytes: number }> {
  const child = spawn(process.execPath, [path.join(built.folder, file), ...args], {
    env: {
      ...process.env,
      ...{ NODE_ENV: 'development', LOG_LEVEL: 'error', PORT: '0', SANDBOX_PORT: String(sandboxPort) },
      ...{ DATA_DIR: dataFolder, DATABASE_URL: postgres.url },
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await ready(child);
  const pid = child.pid ?? 0;
  const measured = { seconds: ownCpuSeconds(pid), megabytes: residentMegabytes(pid) };
  child.kill('SIGTERM');
  await once(child, 'exit');
  return measured;
}

try {
  for (const [name, ...command] of programs) {
    if (only.length > 0 && !only.some(part => name.includes(part))) continue;
    const starts: { seconds: number; megabytes: number }[] = [];
    for (let round = 0; round < rounds; round++) starts.push(await start(command));
    const seconds = median(starts.map(one => one.seconds)).toFixed(2);
    const megabytes = median(starts.map(one => one.megabytes)).toFixed(0);
    process.stdout.write(`${name.padEnd(24)} ${seconds} s CPU ${megabytes.padStart(5)} MB\n`);
  }
} finally {
  await postgres.stop();
  await built.remove();
  await rm(dataFolder, { recursive: true, force: true });
}
