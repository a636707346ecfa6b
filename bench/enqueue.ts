/**
 * Measures the time from POST to 202 on an idle machine (each job ends before the next request). Baseline: the liveness
 * route of the same API. Goal: median below 10 ms.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { listingsFor } from './support/listings.ts';
import { median } from './support/measure.ts';
import { figure } from './support/results.ts';
import { startBenchService } from './support/service.ts';

const warmUps = 20;
const requests = 100;

const Job = z.object({ id: z.string(), state: z.string() });

const service = await startBenchService();
const { url, headers } = service;

async function timed(send: () => Promise<Response>, status: number): Promise<{ ms: number; body: unknown }> {
  const startedAt = performance.now();
  const response = await send();
  const body: unknown = await response.json();
  if (response.status !== status) throw new Error(`expected status ${status}, got ${response.status}`);
  return { ms: performance.now() - startedAt, body };
}

async function enqueue(index: number): Promise<number> {
  const body = JSON.stringify({
    list: listingsFor(`enqueue-${index}`, 1, `http://127.0.0.1:${service.sandboxPort}`),
  });
  const post = () => fetch(`${url}/apps/portal/v1/pdf`, { method: 'POST', headers, body });
  const { ms, body: job } = await timed(post, 202);
  await untilEnded(Job.parse(job).id);
  return ms;
}

async function untilEnded(id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/jobs/${id}`, { headers });
    const { state } = Job.parse(await response.json());
    if (state === 'succeeded') return;
    if (state === 'failed') throw new Error(`the job ${id} failed`);
    await sleep(20);
  }
}

try {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let index = 0; index < warmUps + requests; index++) {
    ours.push(await enqueue(index));
    bare.push((await timed(() => fetch(`${url}/health`), 200)).ms);
  }
  const [post, health] = [median(ours.slice(warmUps)), median(bare.slice(warmUps))];
  figure('liveness', health, 'ms');
  figure('POST to 202', post, 'ms', { baseline: health, goal: 'under 10 ms' });
} finally {
  await service.stop();
}
