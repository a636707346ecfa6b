/** The calls that a system received: the latest ones in full, all of them as counts. */
import type { Fault } from './faults.ts';

const maxLoggedCalls = 2_000;
/** Paths contain ids: beyond this number they are counted together as `other`. */
const maxCountedPaths = 1_000;

export interface ReceivedCall {
  method: string;
  /** Below the system's prefix, without the query. */
  path: string;
  query: string;
  /** ISO 8601, UTC. */
  at: string;
  /** Null until the response is sent; stays null when the connection was dropped. */
  status: number | null;
  /** Response time. */
  ms: number | null;
  fault: Fault | null;
}

export interface RequestLog {
  add(call: ReceivedCall): void;
  counts(): { total: number; byStatus: Record<string, number>; byPath: Record<string, number> };
  latest(): readonly ReceivedCall[];
  /** Call once for each added call. */
  answered(call: ReceivedCall, status: number, ms: number): void;
  reset(): void;
}

export function createRequestLog(): RequestLog {
  let calls: ReceivedCall[] = [];
  let total = 0;
  const byStatus = new Map<string, number>();
  const byPath = new Map<string, number>();
  const increment = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

  return {
    add(call) {
      calls.push(call);
      if (calls.length >= 2 * maxLoggedCalls) calls = calls.slice(-maxLoggedCalls);
      total += 1;
      const path = `${call.method} ${call.path}`;
      increment(byPath, byPath.has(path) || byPath.size < maxCountedPaths ? path : 'other');
    },
    answered(call, status, ms) {
      call.status = status;
      call.ms = Math.round(ms);
      increment(byStatus, String(status));
    },
    counts: () => ({ total, byStatus: Object.fromEntries(byStatus), byPath: Object.fromEntries(byPath) }),
    latest: () => calls.slice(-maxLoggedCalls),
    reset() {
      calls = [];
      total = 0;
      byStatus.clear();
      byPath.clear();
    },
  };
}
