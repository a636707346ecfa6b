import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProcessListener, startProcessListener } from '../../../../core/cli/run-process.ts';
import { freePort } from '../../../../core/runtime/free-port.ts';

let listener: ProcessListener | undefined;
afterEach(() => listener?.stop());

describe('the listener of a process', () => {
  const logger = pino({ level: 'silent' });
  async function start({ isHealthy = true, port = 0 } = {}) {
    const METRICS_PORT = port || (await freePort());
    const running = {
      heartbeatAge: () => (isHealthy ? 1_000 : 60_000),
      serviceMetrics: async () => 'portal_database_up 1\n',
    };
    listener = await startProcessListener({ METRICS_PORT, HOST: '127.0.0.1' }, logger, () => running);
    return `http://127.0.0.1:${METRICS_PORT}`;
  }

  it.each([
    [true, 200, 'pass'],
    [false, 503, 'fail'],
  ])('answers its health when that is %j with %i', async (isHealthy, status, text) => {
    const answer = await fetch(`${await start({ isHealthy })}/health`);
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toEqual([
      status,
      'application/health+json',
      { status: text },
    ]);
  });

  it('is not healthy during the start', async () => {
    const METRICS_PORT = await freePort();
    listener = await startProcessListener({ METRICS_PORT, HOST: '127.0.0.1' }, logger, () => undefined);
    expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/health`)).status).toBe(503);
  });

  it('answers the metrics of this process with those of the service, and no other paths', async () => {
    const origin = await start();
    const answer = await fetch(`${origin}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    expect(text).toContain('# TYPE portal_http_requests_total counter\n');
    expect(text).toContain('\nportal_database_up 1\n');
    expect((await fetch(`${origin}/ops`)).status).toBe(404);
  });

  it('names the setting when its port is in use', async () => {
    const origin = await start();
    const used = Number(new URL(origin).port);
    await expect(
      startProcessListener({ METRICS_PORT: used, HOST: '127.0.0.1' }, logger, () => undefined),
    ).rejects.toThrow(`Port ${used} is in use at 127.0.0.1: stop the program that uses it, or set METRICS_PORT`);
  });

  it('does not listen without a port', async () => {
    listener = await startProcessListener({ METRICS_PORT: undefined, HOST: '127.0.0.1' }, logger, () => undefined);
    await expect(listener.stop()).resolves.toBeUndefined();
  });
});
