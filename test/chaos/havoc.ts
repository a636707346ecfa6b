/** What goes wrong during a chaos run: everything once in an order drawn by the seed, then by chance, until told to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../sandbox/kit/random.ts';
import { commandOf, pidsOf } from './left-behind.ts';
import { lockSeconds, type Stage, slowestMs } from './stage.ts';
import type { Family } from './supervised.ts';

export interface Havoc {
  /** How often each thing was done. */
  counts: Map<string, number>;
  /** Ends it before its time, once everything has gone wrong. */
  enough(): void;
  /** Resolves when everything works again; rejects when something could not be mended. */
  over: Promise<void>;
}

/** Times in ms. */
export interface Tempo {
  /** Pauses between two acts. */
  shortest: number;
  longest: number;
  /** After it nothing more is broken, provided that everything was once. */
  lasts: number;
}

interface Act {
  name: string;
  share: number;
  /** Says so when there was nothing to break. */
  do(): Promise<unknown>;
}

const faults = [
  'slow',
  'error-500',
  'limit',
  'malformed',
  'html',
  'drop-after-commit',
  'unauthorized',
] as const;
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

export function startHavoc(stage: Stage, random: Random, tempo: Tempo): Havoc {
  const counts = new Map<string, number>();
  const acts = actsOn(stage, random);
  let isEnough = false;
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];

  const perform = (act: Act): void => {
    counts.set(act.name, (counts.get(act.name) ?? 0) + 1);
    const done = act
      .do()
      .then(undefined, error => void failures.push(error))
      .then(() => void underWay.delete(done));
    underWay.add(done);
  };
  const until = Date.now() + tempo.lasts;
  const wreak = async (): Promise<void> => {
    const first = shuffled(acts, random);
    while (first.length > 0 || (Date.now() < until && !isEnough)) {
      perform(first.pop() ?? drawn(acts, random));
      await sleep(random.whole(tempo.shortest, tempo.longest));
    }
  };
  const mended = async (): Promise<void> => {
    await wreak();
    await Promise.all(underWay);
    if (failures.length > 0) throw new AggregateError(failures, 'what was broken could not be mended');
  };
  return {
    counts,
    enough: () => {
      isEnough = true;
    },
    over: mended(),
  };
}

function actsOn(stage: Stage, random: Random): Act[] {
  const one = (family: Family) => random.pick(stage.processes.filter(process => process.family === family));
  const downMs = () => random.whole(100, 2_000);
  const alone = inLine();
  const { restartRedis } = stage;
  return [
    { name: 'worker killed', share: 6, do: async () => one('worker').kill() },
    { name: 'API killed', share: 3, do: async () => one('api').kill() },
    { name: 'scheduler killed', share: 2, do: async () => one('scheduler').kill() },
    { name: 'browser killed', share: 3, do: async () => killBrowser(stage, random) },
    {
      name: 'worker frozen',
      share: 3,
      do: () => one('worker').freeze((lockSeconds + random.whole(1, 4)) * 1_000),
    },
    {
      name: 'PostgreSQL stopped (fast)',
      share: 1.5,
      do: () => alone(() => stage.restartPostgres('SIGINT', downMs())),
    },
    {
      name: 'PostgreSQL stopped (immediate)',
      share: 1.5,
      do: () => alone(() => stage.restartPostgres('SIGQUIT', downMs())),
    },
    ...(restartRedis
      ? [
          { name: 'Redis killed', share: 2, do: () => alone(() => restartRedis('SIGKILL', downMs())) },
          { name: 'Redis restarted', share: 1, do: () => alone(() => restartRedis('SIGTERM', downMs())) },
        ]
      : []),
    ...faults.map(fault => ({
      name: `fault ${fault}`,
      share: 2.5,
      do: () =>
        stage.sandbox.fault(random.pick(systems), {
          fault,
          times: random.whole(1, 4),
          ...(fault === 'slow' && { delayMs: random.whole(500, slowestMs) }),
          ...(random.chance(0.4) && { method: 'POST' as const }),
        }),
    })),
  ];
}

/** One outage after another: two of a server at once would be one. */
function inLine() {
  let last: Promise<unknown> = Promise.resolve();
  return (work: () => Promise<void>): Promise<unknown> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

function killBrowser({ brand }: Stage, random: Random): void {
  const browsers = pidsOf(brand).filter(pid => {
    const command = commandOf(pid);
    return command.includes('--remote-debugging') && !command.includes('--type=');
  });
  if (browsers.length > 0) process.kill(random.pick(browsers), 'SIGKILL');
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map(item => ({ item, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

function drawn(acts: readonly Act[], random: Random): Act {
  let left = random.next() * acts.reduce((sum, { share }) => sum + share, 0);
  for (const act of acts) {
    left -= act.share;
    if (left < 0) return act;
  }
  throw new Error('the shares do not add up');
}
