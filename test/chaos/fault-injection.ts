/** Injects faults during a chaos run: first each once in random order, then random ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../sandbox/kit/random.ts';
import { type ChaosEnvironment, lockSeconds, maxDelayMs } from './environment.ts';
import { commandOf, pidsOf } from './leftovers.ts';
import type { ProcessType } from './supervisor.ts';

export interface FaultInjection {
  /** Injections by fault. */
  counts: Map<string, number>;
  /** Stops before `durationMs`, but not before each fault was injected once. */
  stop(): void;
  /** Resolves when everything works again; rejects when a restart failed. */
  done: Promise<void>;
}

export interface FaultTiming {
  /** Pauses between faults. */
  minPauseMs: number;
  maxPauseMs: number;
  /** No fault is injected after it, except those that were not injected yet. */
  durationMs: number;
}

interface Fault {
  name: string;
  weight: number;
  inject(): Promise<unknown>;
}

const sandboxFaults = ['slow', 'error-500', 'limit', 'malformed', 'html', 'drop-after-commit', 'unauthorized'] as const;
const systems = [
  'crm',
  'crm',
  'crm',
  'telephony',
  'employee-records',
  'directory',
  'events',
  'listing-portal',
  'property-projects',
  'activity-log',
];

export function startFaultInjection(
  environment: ChaosEnvironment,
  random: Random,
  timing: FaultTiming,
): FaultInjection {
  const counts = new Map<string, number>();
  const faults = faultsOf(environment, random);
  let isStopped = false;
  const inProgress = new Set<Promise<void>>();
  const failures: unknown[] = [];

  const start = (fault: Fault): void => {
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
    const done = fault
      .inject()
      .then(undefined, error => void failures.push(error))
      .then(() => void inProgress.delete(done));
    inProgress.add(done);
  };
  const until = Date.now() + timing.durationMs;
  const injectAll = async (): Promise<void> => {
    const first = shuffled(faults, random);
    while (first.length > 0 || (Date.now() < until && !isStopped)) {
      start(first.pop() ?? pickWeighted(faults, random));
      await sleep(random.whole(timing.minPauseMs, timing.maxPauseMs));
    }
  };
  const recovered = async (): Promise<void> => {
    await injectAll();
    await Promise.all(inProgress);
    if (failures.length > 0) throw new AggregateError(failures, 'the environment did not recover from a fault');
  };
  return {
    counts,
    stop: () => {
      isStopped = true;
    },
    done: recovered(),
  };
}

function faultsOf(environment: ChaosEnvironment, random: Random): Fault[] {
  const one = (type: ProcessType) => random.pick(environment.processes.filter(process => process.type === type));
  const downMs = () => random.whole(100, 2_000);
  const sequential = createQueue();
  const { restartRedis, cluster } = environment;
  return [
    { name: 'worker killed', weight: 6, inject: async () => one('worker').kill() },
    { name: 'API killed', weight: 3, inject: async () => one('api').kill() },
    { name: 'scheduler killed', weight: 2, inject: async () => one('scheduler').kill() },
    { name: 'browser killed', weight: 3, inject: async () => killBrowser(environment, random) },
    {
      name: 'worker frozen',
      weight: 3,
      inject: () => one('worker').freeze((lockSeconds + random.whole(1, 4)) * 1_000),
    },
    {
      name: 'PostgreSQL stopped (fast)',
      weight: 1.5,
      inject: () => sequential(() => environment.restartPostgres('SIGINT', downMs())),
    },
    {
      name: 'PostgreSQL stopped (immediate)',
      weight: 1.5,
      inject: () => sequential(() => environment.restartPostgres('SIGQUIT', downMs())),
    },
    ...(restartRedis
      ? [
          {
            name: 'Redis killed',
            weight: 2,
            inject: () => sequential(() => restartRedis('SIGKILL', downMs())),
          },
          {
            name: 'Redis restarted',
            weight: 1,
            inject: () => sequential(() => restartRedis('SIGTERM', downMs())),
          },
        ]
      : []),
    ...(cluster
      ? [
          {
            name: 'Redis master killed',
            weight: 3,
            // Half of the times shorter than a failover takes.
            inject: () => sequential(() => cluster.killRedisMaster(random.hex(8), random.whole(100, 8_000))),
          },
          {
            name: 'PgBouncer killed',
            weight: 2,
            inject: () => sequential(() => cluster.restartPooler(downMs())),
          },
          {
            name: 'S3 server killed',
            weight: 2,
            inject: () => sequential(() => cluster.restartStore(downMs())),
          },
        ]
      : []),
    ...sandboxFaults.map(fault => ({
      name: `fault ${fault}`,
      weight: 2.5,
      inject: () => {
        const system = random.pick(systems);
        return environment.sandbox.fault(system, {
          fault,
          // Each pauses all calls of the events platform for a minute, one after the other.
          times: fault === 'limit' && system === 'events' ? 1 : random.whole(1, 4),
          ...(fault === 'slow' && { delayMs: random.whole(500, maxDelayMs) }),
          ...(random.chance(0.4) && { method: 'POST' as const }),
        });
      },
    })),
  ];
}

/** Runs outages of servers one after another: two at once would count as one. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return (work: () => Promise<void>): Promise<unknown> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

function killBrowser({ marker }: ChaosEnvironment, random: Random): void {
  const browsers = pidsOf(marker).filter(pid => {
    const command = commandOf(pid);
    return command.includes('--remote-debugging') && !command.includes('--type=');
  });
  if (browsers.length > 0) process.kill(random.pick(browsers), 'SIGKILL');
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map(item => ({ item, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

function pickWeighted(faults: readonly Fault[], random: Random): Fault {
  let left = random.next() * faults.reduce((sum, { weight }) => sum + weight, 0);
  for (const fault of faults) {
    left -= fault.weight;
    if (left < 0) return fault;
  }
  throw new Error('the weights do not add up');
}
