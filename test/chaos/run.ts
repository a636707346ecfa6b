/**
 * `npm run chaos -- --backend redis|postgres|both --jobs 300 --seed WORD`: injects faults of every kind; exits with 1 when
 * a rule is violated. `--short` injects each fault once, as the end-to-end test does.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runChaos } from './chaos.ts';
import { reportOf } from './report.ts';
import { long, short } from './sizes.ts';
import { findViolations } from './violations.ts';

const Options = z.object({
  backend: z.enum(['redis', 'postgres', 'both']),
  jobs: z.coerce.number().int().min(1).max(5_000),
  seed: z.string().min(1),
  short: z.boolean(),
});

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'both' },
    jobs: { type: 'string', default: '300' },
    seed: { type: 'string', default: randomBytes(3).toString('hex') },
    short: { type: 'boolean', default: false },
  },
});
const { backend, jobs, seed, short: isShort } = Options.parse(values);

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const print = (text: string) => process.stdout.write(`${text}\n`);

for (const one of backend === 'both' ? (['postgres', 'redis'] as const) : [backend]) {
  print(`Queues in ${one}, seed ${seed}`);
  const startedAt = Date.now();
  const run = await runChaos({
    ...{ backend: one, jobs, seed, log: (text: string) => print(`  … ${text}`) },
    ...(isShort ? short : long),
  });
  const violations = findViolations(run);
  print(reportOf(run, violations));
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  print(`  ${violations.length === 0 ? 'PASSED' : 'FAILED'} after ${seconds} s`);
  if (violations.length > 0) process.exitCode = 1;
}
