/** The vendor's second limit: how long a method may run in ten minutes, counted a webhook and method in buckets of a minute. */
import { operationTimeLimit } from './crm-fault.ts';

const bucketMs = 60_000;
const buckets = 10;

/** Seconds a call counts; invented, so that some thousand item updates reach the limit as users report. */
const seconds: readonly (readonly [RegExp, number])[] = [
  [/^crm\.item\.update$/, 0.48],
  [/\.(add|update|delete|set)$/, 0.3],
  [/\.list$|^user\.get$|findbycomm$/, 0.2],
];
const secondsOf = (method: string): number => seconds.find(([pattern]) => pattern.test(method))?.[1] ?? 0.01;

export interface Operating {
  /** Seconds in the last ten minutes. */
  operating: number;
  /** Unix seconds: when the oldest of them stop counting. */
  operating_reset_at: number;
}

export interface OperatingTime {
  /** Counts a call; with `limitSeconds` 0 none is. @throws CrmFault when the method is used up */
  spend(webhook: string, method: string, limitSeconds: number, isCounted: boolean): Operating;
  reset(): void;
}

export function createOperatingTime(): OperatingTime {
  const spent = new Map<string, Map<number, number>>();

  return {
    spend(webhook, method, limitSeconds, isCounted) {
      const bucket = Math.floor(Date.now() / bucketMs);
      if (limitSeconds === 0)
        return { operating: 0, operating_reset_at: ((bucket + buckets) * bucketMs) / 1000 };
      const key = `${webhook} ${method}`;
      const counts = spent.get(key) ?? new Map<number, number>();
      spent.set(key, counts);
      for (const old of counts.keys()) if (old <= bucket - buckets) counts.delete(old);
      const before = sum(counts);
      if (before >= limitSeconds) throw operationTimeLimit;
      // Not counting the rows (start=-1) is ten times cheaper.
      const cost = isCounted ? secondsOf(method) : secondsOf(method) / 10;
      counts.set(bucket, (counts.get(bucket) ?? 0) + cost);
      const oldest = Math.min(...counts.keys());
      return {
        operating: Number((before + cost).toFixed(6)),
        operating_reset_at: ((oldest + buckets) * bucketMs) / 1000,
      };
    },
    reset: () => spent.clear(),
  };
}

const sum = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((total, of) => total + of, 0);
