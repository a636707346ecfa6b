/** The short soak run; `npm run chaos -- --soak` is the long one. */
import { existsSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { findGrowth } from '../chaos/growth.ts';
import { runSoak } from '../chaos/soak.ts';

vi.setConfig({ testTimeout: 400_000 });

it.runIf(existsSync('/proc/self/environ'))('holds no more after many requests, refused ones included', async () => {
  const lines: string[] = [];
  const run = await runSoak({
    backend: 'postgres',
    seed: 'short',
    loadMs: 0,
    idleMs: 0,
    log: text => lines.push(text),
  });
  expect(findGrowth(run), lines.join('\n')).toEqual([]);
  const statuses = [...run.answers.keys()].map(what => what.slice(0, 3));
  expect(statuses).toEqual(expect.arrayContaining(['200', '202', '401', '404', '422', '429']));
});
