/** 503 while the event loop lags. */
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerProblems } from '../../../../api/plugins/problems.ts';
import { shedLoad } from '../../../../api/plugins/shed-load.ts';

let app: FastifyInstance;

beforeEach(async () => {
  app = Fastify();
  answerProblems(app, 'https://portal.example/v2', () => []);
  await shedLoad(app, '/v2/health', 100);
  for (const path of ['/v2/health', '/v2/health/ready', '/v2/jobs']) app.get(path, async () => 'ok');
  await app.ready();
});
afterEach(() => app.close());

/** Blocks the event loop in each of its turns. */
async function lag(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    for (const turn = performance.now() + 300; performance.now() < turn; );
    await sleep(0);
  }
}
const statusOf = async (url: string) => (await app.inject(url)).statusCode;

it('is answered to all requests except the liveness probe, until the event loop is free again', async () => {
  expect(await statusOf('/v2/jobs')).toBe(200);
  await lag(2_000);
  const { statusCode, headers, body } = await app.inject('/v2/jobs');
  expect(statusCode).toBe(503);
  expect(headers['retry-after']).toBe('5');
  expect(JSON.parse(body)).toMatchObject({ code: 'service-unavailable' });
  expect([await statusOf('/v2/health/ready'), await statusOf('/v2/health')]).toEqual([503, 200]);
  await expect.poll(() => statusOf('/v2/jobs')).toBe(200);
});
