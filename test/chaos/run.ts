/**
 * `npm run chaos`: injects faults of every kind, or makes vendor systems unavailable; exits with 1 when a rule is violated.
 * `--help` lists the options; the end-to-end test runs `--short`.
 */
import { spawnSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { removeTemporaryFolders } from '../support/temporary-folder.ts';
import { buildForTests } from '../support/test-build.ts';
import { runChaos } from './chaos.ts';
import { degradations, possible, runDegraded } from './degraded.ts';
import { findGrowth } from './growth.ts';
import { runOutages, vendorSystems } from './outages.ts';
import { outageReportOf, reportOf, soakReportOf } from './report.ts';
import { cluster, long, longOutages, short, shortOutages } from './sizes.ts';
import { runSoak } from './soak.ts';
import { findDegradedViolations, findOutageViolations, findViolations } from './violations.ts';

const Options = z.object({
  backend: z.enum(['redis', 'postgres', 'both']),
  jobs: z.coerce.number().int().min(1).max(5_000).optional(),
  seed: z.string().min(1),
  short: z.boolean(),
  cluster: z.boolean(),
  outages: z.boolean(),
  soak: z.boolean(),
  degraded: z.boolean(),
  kinds: z
    .string()
    .transform(text => text.split(','))
    .pipe(z.array(z.enum(degradations))),
  seconds: z.coerce.number().min(1).max(3_600).optional(),
  systems: z
    .string()
    .transform(text => text.split(',').map(group => group.split('+')))
    .pipe(z.array(z.array(z.enum(vendorSystems)))),
});

const usage = `npm run chaos -- [--backend redis|postgres|both] [--jobs 300] [--seed WORD] [--short]
npm run chaos -- --cluster [--jobs 2000] [--seed WORD]
npm run chaos -- --outages [--backend …] [--seed WORD] [--seconds 120] [--systems crm,events+directory]
npm run chaos -- --degraded [--backend …] [--seed WORD] [--seconds 300] [--kinds read-only,slow]
npm run chaos -- --soak [--backend …] [--seed WORD] [--seconds 600]

Sends generated requests, then injects faults of every kind while jobs run; exits with 1 when a rule is violated.
  --short     each fault once
  --cluster   queues in a six-node Redis Cluster, PgBouncer before PostgreSQL, results in an S3 server; kills these as well
  --outages   makes each vendor system unavailable in turn instead; + joins systems that are unavailable together
  --degraded  stores that work badly instead: PostgreSQL read-only, out of connections, slow; Redis full; a wrong clock
  --soak      steady load without faults instead; measures what the processes hold before and after it
`;

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'both' },
    jobs: { type: 'string' },
    seed: { type: 'string', default: randomBytes(3).toString('hex') },
    short: { type: 'boolean', default: false },
    outages: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    degraded: { type: 'boolean', default: false },
    kinds: { type: 'string', default: degradations.join() },
    seconds: { type: 'string' },
    systems: { type: 'string', default: vendorSystems.join() },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const options = Options.parse(values);
const { backend, seed, cluster: onCluster } = options;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const print = (text: string) => process.stdout.write(`${text}\n`);

const log = (text: string) => print(`  … ${text}`);

/** @returns the report, and the number of violations */
async function runOn(one: QueueBackend): Promise<[report: string, violations: number]> {
  if (options.outages) {
    const run = await runOutages({
      backend: one,
      seed,
      groups: options.systems,
      outageMs: (options.seconds ?? 120) * 1_000,
      log,
      ...(options.short ? shortOutages : longOutages),
    });
    const violations = findOutageViolations(run);
    return [`${outageReportOf(run)}\n${reportOf(run, violations)}`, violations.length];
  }
  if (options.degraded) {
    const kinds = possible(options.kinds, one);
    const lacking = options.kinds.filter(kind => !kinds.includes(kind));
    if (lacking.length > 0) log(`not with this backend or on this machine: ${lacking.join(', ')}`);
    const lastMs = (options.seconds ?? 300) * 1_000;
    const run = await runDegraded({ backend: one, seed, kinds, lastMs, recoveryMs: 180_000, log });
    const violations = findDegradedViolations(run);
    return [reportOf(run, violations), violations.length];
  }
  if (options.soak) {
    const run = await runSoak({ backend: one, seed, loadMs: (options.seconds ?? 600) * 1_000, idleMs: 60_000, log });
    const violations = findGrowth(run);
    return [soakReportOf(run, violations), violations.length];
  }
  const run = await runChaos({
    backend: one,
    onCluster,
    jobs: options.jobs ?? (onCluster ? 2_000 : 300),
    seed,
    log,
    ...(options.short ? short : onCluster ? cluster : long),
  });
  const violations = findViolations(run);
  return [reportOf(run, violations), violations.length];
}

/** Requests generated from the API document, of the run's seed; `npm test` sends those of a fixed seed. */
function sendGeneratedRequests(): void {
  const FUZZ_SEED = String(Number.parseInt(hash('sha256', seed).slice(0, 7), 16));
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'integration',
    'test/integration/api/fuzz.test.ts',
  ];
  const { status } = spawnSync(process.execPath, args, { env: { ...process.env, FUZZ_SEED }, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

if (!options.short && !options.outages && !options.soak && !options.degraded && !onCluster) sendGeneratedRequests();
const build = await buildForTests();
process.once('exit', removeTemporaryFolders);
process.once('exit', () => rmSync(build, { recursive: true, force: true }));
const backends = onCluster ? (['redis'] as const) : backend === 'both' ? (['postgres', 'redis'] as const) : [backend];
for (const one of backends) {
  print(`Queues in ${onCluster ? 'a Redis Cluster' : one}, seed ${seed}`);
  const startedAt = Date.now();
  const [report, violations] = await runOn(one);
  print(report);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  print(`  ${violations === 0 ? 'PASSED' : 'FAILED'} after ${seconds} s`);
  if (violations > 0) process.exitCode = 1;
}
