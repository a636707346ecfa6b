/**
 * Measures how throughput scales with workers: 1 and 2 on this machine's cores; 1, 2 and 4 on a simulated larger machine,
 * where control groups limit each worker with its browser to a third of a core (Linux, as root). Cached photos. Also prints
 * the listings per second for each core that the workers may use. Goal: twice the workers print 1.8 times the listings per
 * second until the cores are used up.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootFolder } from '../core/runtime/discover.ts';
import { listingsFor } from './support/listings.ts';
import { itemsPerSecond } from './support/measure.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { descendsFrom, runningProcesses } from './support/process-tree.ts';
import { figure } from './support/results.ts';
import { startBenchService } from './support/service.ts';

/** The cpu controller of control groups v1. */
const groupFolder = '/sys/fs/cgroup/cpu';
const periodUs = 20_000;
const shareOfCore = 0.33;
const listings = 5;

const photoHost = await startPhotoHost();
const service = await startBenchService({
  EGRESS_ALLOW: new URL(photoHost.origin).host,
  MAX_WAIT_SECONDS: '600',
});
const additional: ChildProcess[] = [];
const groups: string[] = [];
let requests = 0;

/** Starts workers up to `count`, including the service's own; returns their process ids. */
async function startWorkers(count: number): Promise<number[]> {
  while (additional.length < count - 1) {
    const child = spawn(process.execPath, [path.join(service.folder, 'workers/main.js'), 'pdf', 'pdf-preview'], {
      cwd: rootFolder,
      env: process.env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    additional.push(child);
    await once(child, 'message');
  }
  const own = runningProcesses().filter(({ command }) => /workers[/\\]main\.js/.test(command));
  return own.filter(({ pid }) => descendsFrom(pid, process.pid)).map(({ pid }) => pid);
}

/** Limits the worker and its browser to a third of a core. */
function limitCpu(worker: number): void {
  const group = path.join(groupFolder, `portal-bench-${worker}`);
  if (!groups.includes(group)) {
    mkdirSync(group);
    groups.push(group);
    writeFileSync(path.join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(path.join(group, 'cpu.cfs_quota_us'), String(periodUs * shareOfCore));
  }
  for (const { pid } of runningProcesses())
    if (descendsFrom(pid, worker)) writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
}

const print = async (words: string): Promise<void> => {
  const response = await fetch(`${service.url}/apps/portal/v1/pdf-new`, {
    method: 'POST',
    headers: { ...service.headers, accept: 'application/pdf' },
    body: JSON.stringify({ list: listingsFor(words, listings, photoHost.origin, 'scaling') }),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.arrayBuffer();
};

/** @returns listings per second */
async function rateOf(count: number): Promise<number> {
  const words = Array.from({ length: 10 + 20 * count }, () => `scaling-${requests++}`);
  await itemsPerSecond(words.slice(0, 10), 2 * count, print);
  return (await itemsPerSecond(words.slice(10), 2 * count, print)) * listings;
}

/** @param cores what all processes may use, or each worker */
async function compareCounts(
  title: string,
  counts: readonly number[],
  cores: (count: number) => number,
  prepare: (pids: number[]) => void = () => undefined,
) {
  let one = Number.NaN;
  for (const count of counts) {
    prepare(await startWorkers(count));
    const rate = await rateOf(count);
    if (count === 1) one = rate;
    figure(`${title}, workers: ${count}`, rate, 'listings/s', { baseline: one });
    figure(`${title}, workers: ${count}, for each core`, rate / cores(count), 'listings/s', {
      baseline: one / cores(1),
    });
  }
}

async function stopAdditional(): Promise<void> {
  const ended = additional.splice(0).map(async child => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await Promise.all(ended);
}

try {
  await print('warm-up');
  await compareCounts('this machine', [1, 2], availableParallelism);
  await stopAdditional();
  await compareCounts(
    'a third of a core for each worker',
    [1, 2, 4],
    count => count * shareOfCore,
    pids => pids.forEach(limitCpu),
  );
} finally {
  await stopAdditional();
  await service.stop();
  await photoHost.close();
  // A group can be removed only after its last process has ended.
  await sleep(1_000);
  for (const group of groups) rmdirSync(group);
}
