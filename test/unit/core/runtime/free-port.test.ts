import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freePort, isFreePort, requireFreePort } from '../../../../core/runtime/free-port.ts';

it('a free port, and the one of a Redis Cluster’s bus 10,000 above it, are none of outgoing connections', async () => {
  for (let times = 0; times < 20; times++) {
    const port = await freePort();
    expect(port).toBeGreaterThan(1_024);
    expect(port + 10_000).toBeLessThan(32_768);
  }
});

it('a port is free until a program listens there', async () => {
  const port = await freePort();
  expect(await isFreePort(port)).toBe(true);
  await requireFreePort('PORT', port, '127.0.0.1');
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await isFreePort(port)).toBe(false);
  const sentence = `Port ${port} is in use at 127.0.0.1: stop the program that uses it, or set PORT to another port.`;
  await expect(requireFreePort('PORT', port, '127.0.0.1')).rejects.toThrow(sentence);
});
