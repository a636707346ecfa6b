/** Readiness of the parts: database, queues, storage, workers, schedulers, integrations. */
import { z } from 'zod';
import { discoverSystems, type System } from '../../../core/integrations/kit/define-system.ts';
import type { JobContract } from '../../../core/jobs/contract.ts';
import type { KindHeartbeat } from '../../../core/jobs/repository/heartbeats.ts';
import { isDiskFull } from '../../../core/runtime/error-code.ts';
import { withTimeout } from '../../../core/runtime/timeout.ts';
import { offReasonOf } from '../../../core/schedules/config.ts';
import { schedulerHeartbeat } from '../../../core/schedules/schedule.ts';
import { probeStore, type Store } from '../../../core/storage/store.ts';
import type { ApiServices } from '../../services.ts';

export const Status = z.enum(['pass', 'warn', 'fail']);
export type Status = z.infer<typeof Status>;

const ReadinessCheck = z.object({
  status: Status.describe('`warn`: works with restrictions.'),
  componentType: z.string().describe('Kind of part.'),
  observedValue: z.union([z.number(), z.string()]).optional().describe('The measured value.'),
  observedUnit: z.string().optional().describe('Its unit.'),
  time: z.iso.datetime().describe('When it was checked.'),
  output: z.string().optional().describe('The problem or its remediation; absent without a problem.'),
});
export type ReadinessCheck = z.infer<typeof ReadinessCheck>;

const exampleCheck: ReadinessCheck = {
  status: 'pass',
  componentType: 'datastore',
  observedValue: 2,
  observedUnit: 'ms',
  time: '2026-01-31T08:00:00.000Z',
};

export const Readiness = z
  .object({
    status: Status.describe('`fail`: the service cannot work. `warn`: it works with restrictions.'),
    checks: z.record(z.string(), z.array(ReadinessCheck)).describe('By part, such as `database:responseTime`.'),
  })
  .meta({
    id: 'Readiness',
    examples: [{ status: 'pass', checks: { 'database:responseTime': [exampleCheck] } }],
  });
export type Readiness = z.infer<typeof Readiness>;

/** A part that does not answer within this time is down. */
const answerTimeoutMs = 2_000;

let found: Promise<System[]> | undefined;

export async function checkReadiness(services: ApiServices): Promise<Readiness> {
  const contracts = [...services.contracts.values()];
  const [database, storage, heartbeats, ...queues] = await Promise.all([
    requiredCheck('datastore', async () => void (await services.pingDatabase())),
    storageCheck(services.results),
    withTimeout(services.heartbeats.read(), answerTimeoutMs).catch((): KindHeartbeat[] => []),
    ...contracts.map(contract => requiredCheck('datastore', () => queueDepth(services, contract), 'jobs waiting')),
  ]);
  const checks: Record<string, ReadinessCheck[]> = {
    'database:responseTime': [database],
    'storage:responseTime': [storage],
  };
  contracts.forEach(({ kind }, index) => {
    const queue = queues[index];
    if (queue) checks[`queue ${kind}:depth`] = [queue];
    checks[`workers ${kind}:alive`] = [aliveCheck(heartbeats, kind, 'No worker is running; jobs wait.')];
  });
  if ([...services.schedules.values()].some(schedule => !offReasonOf(schedule, services.config))) {
    checks['scheduler:alive'] = [aliveCheck(heartbeats, schedulerHeartbeat, 'No scheduler is running.')];
  }
  found ??= discoverSystems();
  for (const system of await found) checks[`system ${system.name}:circuit`] = [systemCheck(system, services)];
  return { status: worst(Object.values(checks).flat()), checks };
}

/** The latest check of each store: shared for some seconds, because it writes a file and any caller may request it. */
const storageChecks = new WeakMap<Store, { begunAt: number; check: Promise<ReadinessCheck> }>();
const storageCheckMs = 2_000;
/** Other writes may delay the flush to a busy disk. */
const storageTimeoutMs = 4_000;

async function storageCheck(results: Store): Promise<ReadinessCheck> {
  const latest = storageChecks.get(results);
  if (latest && Date.now() - latest.begunAt < storageCheckMs) return await latest.check;
  const check = requiredCheck('datastore', async () => void (await probeStore(results)), 'ms', storageTimeoutMs);
  storageChecks.set(results, { begunAt: Date.now(), check });
  return await check;
}

async function queueDepth(services: ApiServices, contract: JobContract): Promise<number> {
  const counts = await services.queues.queue(contract).getJobCounts('waiting', 'prioritized', 'delayed');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Check of a part that the service needs: `fail` when it is down. Without a value, observes the duration in ms. */
async function requiredCheck(
  componentType: string,
  read: () => Promise<number | undefined>,
  unit = 'ms',
  timeoutMs = answerTimeoutMs,
): Promise<ReadinessCheck> {
  const begun = performance.now();
  const time = new Date().toISOString();
  try {
    const value = await withTimeout(read(), timeoutMs);
    const observedValue = typeof value === 'number' ? value : Math.round(performance.now() - begun);
    return { status: 'pass', componentType, observedValue, observedUnit: unit, time };
  } catch (error) {
    const output = isDiskFull(error) ? 'No space is left on its disk.' : 'It does not answer.';
    return { status: 'fail', componentType, time, output };
  }
}

/** `warn` without a live process: jobs wait, but nothing is lost. */
function aliveCheck(heartbeats: readonly KindHeartbeat[], kind: string, ifNone: string): ReadinessCheck {
  const heartbeat = heartbeats.find(one => one.kind === kind);
  const alive = heartbeat?.alive ?? 0;
  return {
    status: alive > 0 ? 'pass' : 'warn',
    componentType: 'component',
    observedValue: alive,
    observedUnit: 'processes',
    time: (heartbeat?.lastSeenAt ?? new Date()).toISOString(),
    ...(alive === 0 && { output: ifNone }),
  };
}

/** Circuit state in this process. `warn` when open: only the operations of that system fail. */
function systemCheck({ name, title, configuredBy }: System, { systems }: ApiServices): ReadinessCheck {
  const source = systems.sourceOf(configuredBy);
  const circuit = systems.circuitOf(name) ?? 'closed';
  const isOpen = source !== 'none' && circuit !== 'closed';
  return {
    status: isOpen ? 'warn' : 'pass',
    componentType: 'system',
    observedValue: source === 'none' ? 'not configured' : circuit,
    time: new Date().toISOString(),
    ...(isOpen && { output: `${title} failed several times in a row; calls are paused for a short time.` }),
  };
}

const worst = (checks: readonly ReadinessCheck[]): Status =>
  (['fail', 'warn'] as const).find(status => checks.some(check => check.status === status)) ?? 'pass';
