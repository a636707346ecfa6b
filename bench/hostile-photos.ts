/**
 * Measures the memory of a worker that prints ten photos of each format at once, each a few kilobytes with as many pixels as are
 * decoded, or more. Goal: 1,200 MB, and a PDF with placeholders. As root on Linux with cgroups of version 1, the worker has the
 * limit of `docker-compose.yml`. Baseline: the same listings with photos of usual size.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { startLoopbackServer } from '../test/support/loopback-server.ts';
import { descendsFrom, megabytesOf, runningProcesses } from './support/process-tree.ts';
import { figure } from './support/results.ts';
import { startBenchService } from './support/service.ts';

const photosPerFormat = 10;
const sampleEveryMs = 50;
const limitBytes = 2_000_000_000;

const square = (side: number): Sharp =>
  sharp({ create: { width: side, height: side, channels: 3, background: '#336699' }, limitInputPixels: false });

/** At the limit of each format; the last three exceed it, or are no photos. */
const formats: Readonly<Record<string, () => Promise<Buffer>>> = {
  avif: () => square(4_470).avif({ effort: 0 }).toBuffer(),
  progressive: () => square(7_070).jpeg({ progressive: true }).toBuffer(),
  jpeg: () => square(7_740).jpeg().toBuffer(),
  png: () => square(7_740).png().toBuffer(),
  webp: () => square(7_740).webp({ effort: 0 }).toBuffer(),
  gif: () => square(7_740).gif({ effort: 1 }).toBuffer(),
  'larger-avif': () => square(7_700).avif({ effort: 0 }).toBuffer(),
  'larger-png': () => square(9_000).png().toBuffer(),
  tiff: () => square(3_000).tiff({ compression: 'lzw' }).toBuffer(),
};
const files = new Map<string, Buffer>();
for (const [name, make] of Object.entries(formats)) files.set(name, await make());
files.set('usual', await square(1_600).jpeg().toBuffer());

const photos = await startLoopbackServer((request, response) => {
  const [, name = '', number = ''] = (request.url ?? '').split('/');
  // A trailing number makes each file a different one for the cache.
  response.writeHead(200).end(Buffer.concat([files.get(name) ?? Buffer.alloc(0), Buffer.from(number)]));
});
const service = await startBenchService({
  EGRESS_ALLOW: new URL(photos.origin).host,
  MAX_WAIT_SECONDS: '600',
});

const workerPid = (): number =>
  runningProcesses().find(({ command, parent }) => parent === process.pid && /workers[/\\]main\.js/.test(command))
    ?.pid ?? 0;

/** Memory of the worker and its browser in MB. */
function memory(): number {
  const worker = workerPid();
  return runningProcesses()
    .filter(({ pid }) => worker !== 0 && descendsFrom(pid, worker))
    .reduce((sum, { pid }) => sum + megabytesOf(pid), 0);
}

/** @returns the folder of the group; undefined where none can be made */
function limitedGroup(): string | undefined {
  const group = path.join('/sys/fs/cgroup/memory', `portal-bench-${process.pid}`);
  try {
    mkdirSync(group);
    writeFileSync(path.join(group, 'memory.limit_in_bytes'), String(limitBytes));
    for (const { pid } of runningProcesses().filter(({ pid }) => descendsFrom(pid, workerPid())))
      writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
    return group;
  } catch {
    return undefined;
  }
}

async function print(names: readonly string[]): Promise<{ peak: number; status: number; bytes: number }> {
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memory());
  }, sampleEveryMs);
  const list = names.map(name => ({
    reference_number: name,
    title_en: `A home with photos as ${name}`,
    photo: Array.from({ length: photosPerFormat }, (_, index) => `${photos.origin}/${name}/${index}`),
  }));
  const response = await fetch(`${service.url}/apps/portal/v1/pdf-new`, {
    method: 'POST',
    headers: { ...service.headers, accept: 'application/pdf' },
    body: JSON.stringify({ list }),
  });
  const body = Buffer.from(await response.arrayBuffer());
  clearInterval(sampling);
  if (response.status !== 200) process.stdout.write(`${response.status} ${body}\n`);
  return { peak, status: response.status, bytes: body.length };
}

const names = Object.keys(formats);
const group = limitedGroup();
const worker = workerPid();
const usual = await print(names.map(() => 'usual'));
const hostile = await print(names);
const goal = 'at most 1,200';
figure('peak of worker and browser', hostile.peak, 'MB', { baseline: usual.peak, goal });
figure('status of the request with hostile photos', hostile.status, '', { goal: '200' });
figure('workers that died', workerPid() === worker ? 0 : 1, '', { goal: '0' });
if (group) {
  const highest = Number(readFileSync(path.join(group, 'memory.max_usage_in_bytes'), 'utf8')) / 1_000_000;
  figure('peak of the group, with cached files', highest, 'MB', { goal: 'below 2,000' });
}
await service.stop();
await photos.close();
if (group) rmdirSync(group);
