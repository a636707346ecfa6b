/** What `/health/ready` tells of each part: database, queues, workers, waiting jobs, schedulers, outside systems. */
import { z } from 'zod';
import { type System, discoverSystems } from '../../../core/integrations/kit/define-system.ts';
import type { JobContract } from '../../../core/jobs/contract.ts';
import type { KindHeartbeat } from '../../../core/jobs/repository/heartbeats.ts';
import type { Level } from '../../../core/runtime/finding.ts';
import { isOff } from '../../../core/schedules/config.ts';
import { schedulerHeartbeat } from '../../../core/schedules/schedule.ts';
import type { ApiServices } from '../../services.ts';
import { examine } from './diagnostics.ts';

const Status = z.enum(['pass', 'warn', 'fail']);
type Status = z.infer<typeof Status>;

const Check = z.object({
  status: Status,
  componentType: z.string(),
  observedValue: z.union([z.number(), z.string()]).optional(),
  observedUnit: z.string().optional(),
  time: z.iso.datetime(),
  output: z.string().optional().describe('What is wrong, or how to mend it; absent when all is well.'),
});
type Check = z.infer<typeof Check>;

export const Readiness = z.object({ status: Status, checks: z.record(z.string(), z.array(Check)) }).meta({
  id: 'Readiness',
  examples: [
    {
      status: 'pass',
      checks: {
        'database:responseTime': [
          {
            status: 'pass',
            componentType: 'datastore',
            observedValue: 2,
            observedUnit: 'ms',
            time: '2026-01-31T08:00:00.000Z',
          },
        ],
      },
    },
  ],
});
export type Readiness = z.infer<typeof Readiness>;

/** A part that does not answer within this time counts as down, in ms. */
const patienceMs = 2_000;

export async function checkReadiness(services: ApiServices): Promise<Readiness> {
  const contracts = [...services.contracts.values()];
  const [database, signs, ...queues] = await Promise.all([
    measured('datastore', async () => void (await services.pingDatabase())),
    inTime(services.heartbeats.read()).catch((): KindHeartbeat[] => []),
    ...contracts.map(contract => measured('datastore', () => queueDepth(services, contract), 'jobs waiting')),
  ]);
  const checks: Record<string, Check[]> = { 'database:responseTime': [database] };
  contracts.forEach((contract, index) => {
    const queue = queues[index];
    if (queue) checks[`queue ${contract.kind}:depth`] = [queue];
    checks[`workers ${contract.kind}:alive`] = [
      aliveCheck(signs, contract.kind, 'No worker takes these jobs; they wait.'),
    ];
  });
  if ([...services.schedules.keys()].some(name => !isOff(name, services.config))) {
    checks['scheduler:alive'] = [
      aliveCheck(signs, schedulerHeartbeat, 'No scheduler is alive: nothing fires.'),
    ];
  }
  for (const system of await outsideSystems())
    checks[`system ${system.name}:circuit`] = [systemCheck(system, services)];
  return { status: worst(Object.values(checks).flat()), checks };
}

const statusOf: Record<Level, Status> = { ok: 'pass', warning: 'warn', failure: 'fail' };

/** The same with what the doctor finds of each part. The status stays: it says whether the service works. */
export async function examineReadiness(services: ApiServices): Promise<Readiness> {
  const [readiness, checked] = await Promise.all([checkReadiness(services), examine(services)]);
  const time = new Date().toISOString();
  const examined = checked.map(({ name, findings }): [string, Check[]] => [
    `doctor ${name}`,
    findings.map(({ level, found, fix: mend }) => ({
      status: statusOf[level],
      componentType: 'check',
      observedValue: found,
      time,
      ...(mend !== undefined && { output: mend }),
    })),
  ]);
  return { ...readiness, checks: { ...readiness.checks, ...Object.fromEntries(examined) } };
}

let found: Promise<System[]> | undefined;
function outsideSystems(): Promise<System[]> {
  found ??= discoverSystems();
  return found;
}

async function queueDepth(services: ApiServices, contract: JobContract): Promise<number> {
  const counts = await services.queues.queue(contract).getJobCounts('waiting', 'prioritized', 'delayed');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** A part the service cannot work without: down means fail. Without a value of its own, its time in ms is told. */
async function measured(
  componentType: string,
  look: () => Promise<number | undefined>,
  unit = 'ms',
): Promise<Check> {
  const begun = performance.now();
  const time = new Date().toISOString();
  try {
    const value = await inTime(look());
    const observedValue = typeof value === 'number' ? value : Math.round(performance.now() - begun);
    return { status: 'pass', componentType, observedValue, observedUnit: unit, time };
  } catch {
    return { status: 'fail', componentType, time, output: 'It does not answer.' };
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  const tooLate = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no answer')), patienceMs).unref();
  });
  return Promise.race([work, tooLate]);
}

/** Jobs wait while nobody is alive, but nothing is lost: a warning. */
function aliveCheck(signs: readonly KindHeartbeat[], kind: string, ifNone: string): Check {
  const sign = signs.find(found => found.kind === kind);
  const alive = sign?.alive ?? 0;
  return {
    status: alive > 0 ? 'pass' : 'warn',
    componentType: 'component',
    observedValue: alive,
    observedUnit: 'processes',
    time: (sign?.lastSeenAt ?? new Date()).toISOString(),
    ...(alive === 0 && { output: ifNone }),
  };
}

/**
 * The circuit as this process has it. A system that is down takes down its own operations only: a warning. One that
 * nobody configured is none that anybody misses.
 */
function systemCheck({ name, title, configuredBy }: System, { systems }: ApiServices): Check {
  const source = systems.sourceOf(configuredBy);
  const circuit = systems.circuitOf(name) ?? 'closed';
  const isOpen = source !== 'none' && circuit !== 'closed';
  return {
    status: isOpen ? 'warn' : 'pass',
    componentType: 'system',
    observedValue: source === 'none' ? 'not configured' : circuit,
    time: new Date().toISOString(),
    ...(isOpen && { output: `${title} has failed several times in a row; it is left alone for a moment.` }),
  };
}

function worst(checks: readonly Check[]): Status {
  if (checks.some(check => check.status === 'fail')) return 'fail';
  return checks.some(check => check.status === 'warn') ? 'warn' : 'pass';
}
