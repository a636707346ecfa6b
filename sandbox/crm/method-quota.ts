/** The vendor's second limit: total run time of a method within ten minutes, for each webhook, in one-minute buckets. */
import { operationTimeLimit } from './crm-error.ts';

const bucketMs = 60_000;
const buckets = 10;

/** Seconds charged for a call. The numbers are invented: about 1,000 item updates reach the limit, as users report. */
const seconds: readonly (readonly [RegExp, number])[] = [
  [/^crm\.item\.update$/, 0.48],
  [/\.(add|update|delete|set)$/, 0.3],
  [/\.list$|^user\.get$|findbycomm$/, 0.2],
];
const secondsOf = (method: string): number => seconds.find(([pattern]) => pattern.test(method))?.[1] ?? 0.01;

export interface QuotaUsage {
  /** Seconds used in the last ten minutes. */
  operating: number;
  /** Unix time in seconds at which the oldest bucket expires. */
  operating_reset_at: number;
}

export interface MethodQuota {
  /** Charges a call; `limitSeconds` 0 disables the quota. @throws CrmError when the quota is used up */
  spend(webhook: string, method: string, limitSeconds: number, isCounted: boolean): QuotaUsage;
  reset(): void;
}

export function createMethodQuota(): MethodQuota {
  const spent = new Map<string, Map<number, number>>();

  return {
    spend(webhook, method, limitSeconds, isCounted) {
      const bucket = Math.floor(Date.now() / bucketMs);
      if (limitSeconds === 0) return { operating: 0, operating_reset_at: ((bucket + buckets) * bucketMs) / 1000 };
      const key = `${webhook} ${method}`;
      const counts = spent.get(key) ?? new Map<number, number>();
      spent.set(key, counts);
      for (const old of counts.keys()) if (old <= bucket - buckets) counts.delete(old);
      const before = sum(counts);
      const resetAt = () => ((Math.min(...counts.keys()) + buckets) * bucketMs) / 1000;
      if (before >= limitSeconds) throw operationTimeLimit(resetAt());
      // A call that does not count the rows (start=-1) costs a tenth.
      const cost = isCounted ? secondsOf(method) : secondsOf(method) / 10;
      counts.set(bucket, (counts.get(bucket) ?? 0) + cost);
      return { operating: Number((before + cost).toFixed(6)), operating_reset_at: resetAt() };
    },
    reset: () => spent.clear(),
  };
}

const sum = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((total, seconds) => total + seconds, 0);
