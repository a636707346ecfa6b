/**
 * The request or job run on whose behalf vendor systems are called. It travels in an AsyncLocalStorage, so that
 * connectors need no parameters for priority, signal and counters.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';

/** A row of a vendor's answer in an unexpected form. */
export interface BadRow {
  system: string;
  /** What it is, such as `user`. */
  record: string;
  id: string;
  /** Path of the field, without its value; '' when the whole row is at fault. */
  field: string;
  reason: string;
}

export interface CallContext {
  /** Interactive calls go before background work where a vendor limits our rate. */
  priority: 'interactive' | 'background';
  /** Whether failed calls are retried; false where the present state of a system is measured. */
  retries: boolean;
  /** Ends waits and calls in flight. */
  signal: AbortSignal | undefined;
  /** Set for job runs. */
  run: { jobId: string; runId: string } | undefined;
  /** HTTP requests sent to each system, retries included. */
  calls: Map<string, number>;
  /** Number of attempts of each operation, such as `crm POST /crm.item.get`. */
  sent: Map<string, number>;
  /** Time in ms since 1970 by which attempts must end; undefined: only their own timeouts apply. */
  deadlineAt: number | undefined;
  /** The systems for which the sandbox answered. */
  sandboxes: Set<string>;
  /** What calls that are not sent yet wait for, such as `the rate limit of the CRM`. */
  waits: Set<{ reason: string }>;
  /** Rows that were left out because they could not be read, by system, record and id. */
  badRows: Map<string, BadRow>;
  /** Called for each of them once. */
  onBadRow?: (row: BadRow) => void;
  /** Called before each request; rejects when the request must not be sent any more. */
  fence?: () => Promise<void>;
}

/** Maximum time of each wait before a call is sent: for the rate limit, the circuit, the access token. */
export const maxWaitMs: Readonly<Record<CallContext['priority'], number>> = {
  interactive: 10_000,
  background: 10 * 60_000,
};

type ContextOptions = Pick<CallContext, 'priority'> &
  Partial<Pick<CallContext, 'signal' | 'run' | 'retries' | 'fence' | 'onBadRow' | 'deadlineAt'>>;

const contexts = new AsyncLocalStorage<CallContext>();

export function withCallContext<T>(options: ContextOptions, work: (context: CallContext) => T): T {
  const context = newContext(options);
  // Every call in progress adds a listener.
  if (context.signal) setMaxListeners(0, context.signal);
  return contexts.run(context, work, context);
}

/** The context of the running work; without one, the work counts as background. */
export const callContext = (): CallContext => contexts.getStore() ?? newContext({ priority: 'background' });

/** Adds a fence to the fence of the present context, if it has one. */
export function withFence<T>(inner: () => Promise<void>, work: () => T): T {
  const context = callContext();
  const fence = async () => {
    await context.fence?.();
    await inner();
  };
  return contexts.run({ ...context, fence }, work);
}

/** For work whose result several contexts share: the end of one context does not end it. Callers retry it themselves. */
export const withSharedContext = <T>(work: () => T): T => {
  const { fence: _, ...context } = callContext();
  return contexts.run({ ...context, signal: undefined, deadlineAt: undefined, retries: false, waits: new Set() }, work);
};

/** Records that a call waits, so that a run stopped meanwhile fails with this reason. */
export async function waitingFor<T>(reason: string, work: () => Promise<T>): Promise<T> {
  const { waits } = callContext();
  const wait = { reason };
  waits.add(wait);
  try {
    return await work();
  } finally {
    waits.delete(wait);
  }
}

/** Adds a row to the report of the running work, unless it has it. */
export function reportBadRow(row: BadRow): void {
  const { badRows, onBadRow } = callContext();
  const key = `${row.system} ${row.record} ${row.id}`;
  if (badRows.has(key)) return;
  badRows.set(key, row);
  onBadRow?.(row);
}

/** HTTP requests sent to vendor systems so far in this context. */
export const callsMade = (): number => [...callContext().calls.values()].reduce((sum, count) => sum + count, 0);

/** Bad rows of work within other work belong to the report of both. */
function newContext(options: ContextOptions): CallContext {
  const { priority, signal, run, retries = true, fence, onBadRow, deadlineAt } = options;
  const outer = contexts.getStore();
  const report = onBadRow ?? outer?.onBadRow;
  return {
    priority,
    retries,
    signal,
    run,
    deadlineAt,
    calls: new Map(),
    sent: new Map(),
    sandboxes: new Set(),
    waits: new Set(),
    badRows: outer?.badRows ?? new Map(),
    ...(report && { onBadRow: report }),
    ...(fence && { fence }),
  };
}
