/** The two ways in which vendors count calls: a bucket that leaks, and a number a window. */

export interface CallLimit {
  /** Counts a call of this caller; false when it is one too many (it is not counted then). */
  take(caller: string): boolean;
  reset(): void;
}

/** `capacity` calls at once, and `perSecond` more each second; asked for at each call, for settings change. */
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

/** `calls` in each window of `seconds`, counted from the caller's first call in it. */
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
