/**
 * Whether more workers print in step: 1 and 2 of them with this machine's cores, and 1, 2 and 4 on a simulated larger
 * machine, where each worker with its browser may use a third of a core (control groups; Linux, as root), so that
 * there are cores to spare. Photos cached. Goal: twice the workers, 1.8 times the listings a second until the cores are used.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootFolder } from '../core/runtime/discover.ts';
import { perSecond } from './support/in-turns.ts';
import { listingsFor } from './support/listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { startBenchService } from './support/service.ts';

/** Control groups of either version. */
const groupFolder = '/sys/fs/cgroup/cpu';
const periodUs = 20_000;
const shareOfCore = 0.33;
const listings = 5;

const photoHost = await startPhotoHost();
const service = await startBenchService({
  EGRESS_ALLOW: new URL(photoHost.origin).host,
  MAX_WAIT_SECONDS: '600',
});
const more: ChildProcess[] = [];
const groups: string[] = [];
let requests = 0;

/** The worker that the service came with is the first. */
async function workers(count: number): Promise<number[]> {
  while (more.length < count - 1) {
    const child = spawn(
      process.execPath,
      [path.join(service.folder, 'workers/main.js'), 'pdf', 'pdf-preview'],
      {
        cwd: rootFolder,
        env: process.env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    more.push(child);
    await once(child, 'message');
  }
  const own = processes().filter(({ command }) => /workers[/\\]main\.js/.test(command));
  return own.filter(({ pid }) => isBelow(pid, process.pid)).map(({ pid }) => pid);
}

const processes = () =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => ({ pid: Number(name), command: read(`/proc/${name}/cmdline`) }));

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

/** '' when the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The worker and its browser share one third of a core. */
function hold(worker: number): void {
  const group = path.join(groupFolder, `portal-bench-${worker}`);
  if (!groups.includes(group)) {
    mkdirSync(group);
    groups.push(group);
    writeFileSync(path.join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(path.join(group, 'cpu.cfs_quota_us'), String(periodUs * shareOfCore));
  }
  for (const { pid } of processes())
    if (isBelow(pid, worker)) writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
}

const print = async (words: string): Promise<void> => {
  const answer = await fetch(`${service.url}/apps/portal/v1/pdf-new`, {
    method: 'POST',
    headers: { ...service.headers, accept: 'application/pdf' },
    body: JSON.stringify({ list: listingsFor(words, listings, photoHost.origin, 'scaling') }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
};

/** @returns listings a second */
async function rateOf(count: number): Promise<number> {
  const words = Array.from({ length: 10 + 20 * count }, () => `scaling-${requests++}`);
  await perSecond(words.slice(0, 10), 2 * count, print);
  return (await perSecond(words.slice(10), 2 * count, print)) * listings;
}

async function inStep(title: string, counts: readonly number[], prepare: (pids: number[]) => void) {
  process.stdout.write(`${title}:`);
  let one = Number.NaN;
  for (const count of counts) {
    prepare(await workers(count));
    const rate = await rateOf(count);
    if (count === 1) one = rate;
    process.stdout.write(`  ${count}: ${rate.toFixed(1)} listings/s, ${(rate / one).toFixed(2)} of one`);
  }
  process.stdout.write('\n');
}

async function endMore(): Promise<void> {
  const ended = more.splice(0).map(async child => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await Promise.all(ended);
}

try {
  await print('warm-up');
  await inStep('this machine', [1, 2], () => undefined);
  await endMore();
  await inStep('a third of a core each', [1, 2, 4], pids => pids.forEach(hold));
} finally {
  await endMore();
  await service.stop();
  await photoHost.close();
  // A group can be removed when its last process has gone.
  await sleep(1_000);
  for (const group of groups) rmdirSync(group);
}
