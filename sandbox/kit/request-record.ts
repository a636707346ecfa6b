/** The calls that a system received: the latest of them one by one, all of them in counts. */
import type { Fault } from './faults.ts';

const keptCalls = 2_000;
/** Ids in paths would make the counts endless: further paths are counted together. */
const countedPaths = 1_000;

export interface ReceivedCall {
  method: string;
  /** Below the system's prefix, without the query. */
  path: string;
  query: string;
  /** ISO 8601, UTC. */
  at: string;
  /** Null as long as there is no answer; stays so when the connection was dropped. */
  status: number | null;
  /** How long the answer took. */
  ms: number | null;
  fault: Fault | null;
}

export interface RequestRecord {
  add(call: ReceivedCall): void;
  counts(): { total: number; byStatus: Record<string, number>; byPath: Record<string, number> };
  latest(): readonly ReceivedCall[];
  /** To be called once for each call that was added. */
  answered(call: ReceivedCall, status: number, ms: number): void;
  reset(): void;
}

export function createRequestRecord(): RequestRecord {
  let calls: ReceivedCall[] = [];
  let total = 0;
  const byStatus = new Map<string, number>();
  const byPath = new Map<string, number>();
  const countUp = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

  return {
    add(call) {
      calls.push(call);
      if (calls.length >= 2 * keptCalls) calls = calls.slice(-keptCalls);
      total += 1;
      const path = `${call.method} ${call.path}`;
      countUp(byPath, byPath.has(path) || byPath.size < countedPaths ? path : 'other');
    },
    answered(call, status, ms) {
      call.status = status;
      call.ms = Math.round(ms);
      countUp(byStatus, String(status));
    },
    counts: () => ({ total, byStatus: Object.fromEntries(byStatus), byPath: Object.fromEntries(byPath) }),
    latest: () => calls.slice(-keptCalls),
    reset() {
      calls = [];
      total = 0;
      byStatus.clear();
      byPath.clear();
    },
  };
}
