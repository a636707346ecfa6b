/** What must not grow between the warm-up and the end of a soak run. */
import type { IdleState, SoakRun } from './soak.ts';
import type { Violation } from './violations.ts';

/** Connections that open or close meanwhile have timers and handles of their own. */
const tolerance = 30;
/** The larger one applies: V8 grows its heap in steps. */
const maxMemoryGrowth = { share: 0.15, megabytes: 40 };
/** Fewer samples have no slope. */
const minSamples = 10;

export function findGrowth(run: SoakRun): Violation[] {
  const { warm, end, memory, leftovers } = run;
  const rules: [rule: string, evidence: string[]][] = [
    ['timers do not grow', grown(run, 'timers')],
    ['listeners do not grow', grown(run, 'listeners')],
    ['handles do not grow', grown(run, 'handles')],
    ['no emitter has too many listeners', grown(run, 'warnings', 0)],
    ['statements of idle processes do not grow', moreTransactions(warm, end)],
    ['connections do not grow', end.connections > warm.connections + tolerance ? [`${end.connections}`] : []],
    ['memory does not grow', [...memory].flatMap(([name, samples]) => growingMemory(name, samples))],
    ['nothing is left', Object.values(leftovers).flat().filter(Boolean).map(String)],
  ];
  return rules.flatMap(([rule, evidence]) => (evidence.length > 0 ? [{ rule, evidence }] : []));
}

function grown(
  { warm, end }: SoakRun,
  what: 'timers' | 'listeners' | 'handles' | 'warnings',
  allowed = tolerance,
): string[] {
  return [...end.resources].flatMap(([name, resources]) => {
    const before = warm.resources.get(name)?.[what] ?? 0;
    return resources[what] > before + allowed
      ? [`${name}: ${before} after the warm-up, ${resources[what]} at the end`]
      : [];
  });
}

function moreTransactions(warm: IdleState, end: IdleState): string[] {
  const [before, after] = [warm.transactionsPerMinute, end.transactionsPerMinute];
  return after > before * 1.5 + tolerance ? [`${before} a minute after the warm-up, ${after} at the end`] : [];
}

type Samples = readonly { seconds: number; megabytes: number }[];

/** Linear regression over the second half. */
function growingMemory(name: string, samples: Samples): string[] {
  const late = samples.slice(Math.floor(samples.length / 2));
  if (late.length < minSamples) return [];
  const { mean, perSecond, seconds } = trendOf(late);
  const grownBy = perSecond * seconds;
  const allowed = Math.max(mean * maxMemoryGrowth.share, maxMemoryGrowth.megabytes);
  return grownBy > allowed ? [`${name}: ${grownBy.toFixed(0)} MB in ${seconds} s; allowed: ${allowed.toFixed(0)}`] : [];
}

/** The mean, and the slope by linear regression. */
export function trendOf(samples: Samples) {
  const seconds = (samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0);
  const middle = samples.reduce((sum, one) => sum + one.seconds, 0) / samples.length;
  const mean = samples.reduce((sum, one) => sum + one.megabytes, 0) / samples.length;
  const products = samples.reduce((sum, one) => sum + (one.seconds - middle) * (one.megabytes - mean), 0);
  const squares = samples.reduce((sum, one) => sum + (one.seconds - middle) ** 2, 0);
  return { mean, perSecond: squares === 0 ? 0 : products / squares, seconds };
}
