/**
 * `npm run chaos -- --backend redis|postgres|both --jobs 300 --seed WORD`: breaks everything, and exits 1 if anything gave.
 * `--short` is what the tests do: everything breaks once.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runChaos } from './chaos.ts';
import { reportOf } from './report.ts';
import { long, short } from './sizes.ts';
import { verdictOn } from './verdict.ts';

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

const say = (text: string) => process.stdout.write(`${text}\n`);

for (const one of backend === 'both' ? (['postgres', 'redis'] as const) : [backend]) {
  say(`Queues in ${one}, seed ${seed}`);
  const begun = Date.now();
  const run = await runChaos({
    ...{ backend: one, jobs, seed, say: (text: string) => say(`  … ${text}`) },
    ...(isShort ? short : long),
  });
  const breaches = verdictOn(run);
  say(reportOf(run, breaches));
  say(
    `  ${breaches.length === 0 ? 'It held' : 'IT DID NOT HOLD'}, ${Math.round((Date.now() - begun) / 1_000)} s in all`,
  );
  if (breaches.length > 0) process.exitCode = 1;
}
