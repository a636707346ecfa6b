/**
 * Measures how linear the progress of brochures is, for lists of 1, 20, 160 and 200 listings with new and with cached
 * photos. Goal: within 15 points of linear.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { JobResource } from '../core/jobs/resource.ts';
import { listingsFor } from './support/listings.ts';
import { startPhotoHost } from './support/photo-host.ts';
import { figure } from './support/results.ts';
import { startBenchService } from './support/service.ts';

const pollEveryMs = 100;

const photoHost = await startPhotoHost();
const service = await startBenchService({
  EGRESS_ALLOW: new URL(photoHost.origin).host,
  REQUESTS_PER_MINUTE: '100000',
});

async function send(method: string, path: string, body?: object): Promise<JobResource> {
  const request = { method, headers: service.headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(service.url + path, request);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return JobResource.parse(await response.json());
}

/** The percentages that a caller sees, with the times since the start of the run. */
async function follow(count: number, name: string, photos: string) {
  const list = listingsFor(name, count, photoHost.origin, photos);
  let job = await send('POST', '/apps/portal/v1/pdf-new', { list });
  const seen: { at: number; percent: number }[] = [];
  while (!['succeeded', 'failed'].includes(job.state)) {
    await sleep(pollEveryMs);
    job = await send('GET', `/jobs/${job.id}`);
    const startedAt = Date.parse(job.startedAt ?? '');
    if (job.state !== 'running') continue;
    seen.push({ at: Date.now() - startedAt, percent: job.progress?.percent ?? 0 });
  }
  if (job.state === 'failed') throw new Error(JSON.stringify(job.error));
  return { seen, ms: Date.parse(job.finishedAt ?? '') - Date.parse(job.startedAt ?? '') };
}

async function measure(count: number, name: string, photos: string): Promise<void> {
  const { seen, ms } = await follow(count, name, photos);
  const distances = seen.map(({ at, percent }) => Math.abs(percent - (100 * at) / ms));
  process.stdout.write(`${name} ${count} listings: ${(ms / 1_000).toFixed(1)} s\n`);
  figure(`${name} ${count}: from linear, at most`, Math.max(0, ...distances), 'points', { goal: '15' });
}

try {
  for (const count of [1, 20, 160, 200]) {
    await measure(count, 'new', `set-${count}`);
    await measure(count, 'cached', `set-${count}`);
  }
} finally {
  await service.stop();
  await photoHost.close();
}
