/** The vendors' two kinds of rate limit: leaky bucket and fixed window. */

export interface CallLimit {
  /** Counts a call of the caller. Returns false when the limit is reached; such a call is not counted. */
  take(caller: string): boolean;
  reset(): void;
}

/** Allows a burst of `capacity` calls and `perSecond` further calls each second. Reads the size at each call: settings change. */
export function leakyBucket(size: () => { capacity: number; perSecond: number }): CallLimit {
  const buckets = new Map<string, { level: number; at: number }>();
  return {
    take(caller) {
      const { capacity, perSecond } = size();
      const now = performance.now();
      const bucket = buckets.get(caller) ?? { level: 0, at: now };
      bucket.level = Math.max(0, bucket.level - ((now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      buckets.set(caller, bucket);
      if (bucket.level + 1 > capacity) return false;
      bucket.level += 1;
      return true;
    },
    reset: () => buckets.clear(),
  };
}

/** Allows `calls` in each window of `seconds`; a window starts with the caller's first call. */
export function callsPerWindow(size: () => { calls: number; seconds: number }): CallLimit {
  const windows = new Map<string, { count: number; endsAt: number }>();
  return {
    take(caller) {
      const { calls, seconds } = size();
      const now = performance.now();
      let window = windows.get(caller);
      if (!window || now >= window.endsAt) {
        window = { count: 0, endsAt: now + seconds * 1000 };
        windows.set(caller, window);
      }
      if (window.count >= calls) return false;
      window.count += 1;
      return true;
    },
    reset: () => windows.clear(),
  };
}
