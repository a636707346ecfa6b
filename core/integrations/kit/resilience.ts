/** Retries and circuit breaker around calls to vendor systems, for every protocol. */
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  ExponentialBackoff,
  handleWhen,
  type IPolicy,
  retry,
  wrap,
} from 'cockatiel';
import type { Logger } from 'pino';
import { circuitState } from '../../telemetry/meter.ts';
import type { CallClass } from './call.ts';
import { type CallContext, callContext } from './call-context.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

type Priority = CallContext['priority'];
export type CircuitStateName = 'closed' | 'open' | 'half-open';

const firstDelayMs = 250;
/** Consecutive failures that open a circuit. */
const failuresToOpen = 6;
const firstPauseMs = 5_000;
const maxPauseMs = 60_000;
const stateNumbers: Record<CircuitStateName, number> = { closed: 0, 'half-open': 1, open: 2 };

export async function withResilience<T>(
  { system: { name, title }, circuit }: { system: SystemName; circuit: CircuitBreakerPolicy },
  callClass: CallClass,
  send: () => Promise<T>,
): Promise<T> {
  const { signal, priority, retries } = callContext();
  const retrying: IPolicy = retry(
    handleWhen(error => isRetryable(callClass, error)),
    {
      maxAttempts: retries ? retryLimit(priority) : 0,
      backoff: new DelegateBackoff(({ attempt, result }) =>
        retryDelayMs(attempt, 'error' in result ? result.error : undefined, priority),
      ),
    },
  );
  try {
    return await wrap(retrying, circuit).execute(send, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof BrokenCircuitError)) throw error;
    throw new UpstreamError(
      'upstream-unavailable',
      `${title} has failed several times in a row; calls are paused for a moment.`,
      { system: name, transient: true, maybeExecuted: false, retryAfterMs: firstPauseMs },
    );
  }
}

/** Retries after the first attempt: an interactive caller gets its answer soon, background work waits. */
export const retryLimit = (priority: Priority): number => (priority === 'interactive' ? 2 : 6);

/**
 * The delay that the vendor asks for, else one that doubles with each attempt; with jitter, so that callers do not
 * return together.
 * @param attempt 1 for the first retry
 */
export function retryDelayMs(attempt: number, error: unknown, priority: Priority): number {
  const requested = error instanceof UpstreamError ? error.failure.retryAfterMs : undefined;
  const doubled = firstDelayMs * 2 ** (attempt - 1);
  const base = Math.min(requested ?? doubled, priority === 'interactive' ? 2_000 : 60_000);
  return requested === undefined ? base * (0.5 + Math.random() / 2) : base * (1 + Math.random() / 4);
}

/** The circuit of a system in this process: while it is open, calls to a system that is down fail at once. */
export function newCircuit(system: string, logger: Logger): CircuitBreakerPolicy {
  const circuit = circuitBreaker(
    handleWhen(error => error instanceof UpstreamError && error.failure.down === true),
    {
      halfOpenAfter: new ExponentialBackoff({ initialDelay: firstPauseMs, maxDelay: maxPauseMs }),
      breaker: new ConsecutiveBreaker(failuresToOpen),
    },
  );
  const report = () => circuitState.set({ system }, stateNumbers[circuitStateName(circuit)]);
  circuit.onStateChange(report);
  report();
  circuit.onBreak(() => logger.warn({ system }, 'the circuit is open: the system keeps failing'));
  circuit.onReset(() => logger.info({ system }, 'the circuit is closed: the system answers again'));
  return circuit;
}

export function circuitStateName({ state }: CircuitBreakerPolicy): CircuitStateName {
  if (state === CircuitState.Closed) return 'closed';
  return state === CircuitState.HalfOpen ? 'half-open' : 'open';
}

function isRetryable(callClass: CallClass, error: Error): boolean {
  if (!(error instanceof UpstreamError) || !error.transient) return false;
  return callClass !== 'create' || !error.failure.maybeExecuted;
}
