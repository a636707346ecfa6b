/** Circuit breaker of a system in this process: while it is open, calls to a system that is down fail at once. */
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhen,
} from 'cockatiel';
import type { Logger } from 'pino';
import { untilAborted, withTimeout } from '../../runtime/timeout.ts';
import { circuitState } from '../../telemetry/meter.ts';
import { callContext, maxWaitMs, waitingFor } from './call-context.ts';
import { deadlineCode } from './deadline.ts';
import { nameOf, type SystemName, UpstreamError, type UpstreamFailure } from './upstream-error.ts';

export type CircuitStateName = 'closed' | 'open' | 'half-open';
export type Circuit = ReturnType<typeof newCircuit>;

/** Consecutive failures that open a circuit. */
const failuresToOpen = 6;
/** How long an open circuit pauses calls; the pause doubles with each failed test call. */
const defaultPauses = { firstMs: 5_000, maxMs: 60_000 };
export type CircuitPauses = typeof defaultPauses;
const stateNumbers: Record<CircuitStateName, number> = { closed: 0, 'half-open': 1, open: 2 };

export function newCircuit(system: SystemName, logger: Logger, pauses = defaultPauses) {
  let pausedUntil = 0;
  /** The last failure that counted. */
  let lastCall: UpstreamFailure['call'];
  const policy: CircuitBreakerPolicy = circuitBreaker(
    // A cancelled test call says nothing about the system: the circuit stays open.
    handleWhen(error =>
      error instanceof UpstreamError && error.failure.code !== deadlineCode
        ? error.isDown
        : policy.state === CircuitState.HalfOpen,
    ),
    {
      halfOpenAfter: new DelegateBackoff<{ attempt: number }>(({ attempt }) => {
        const pauseMs = Math.min(pauses.firstMs * 2 ** (attempt - 1), pauses.maxMs);
        pausedUntil = Date.now() + pauseMs;
        return pauseMs;
      }),
      breaker: new ConsecutiveBreaker(failuresToOpen),
    },
  );
  const { name } = system;
  const report = () => circuitState.set({ system: name }, stateNumbers[stateName(policy)]);
  policy.onStateChange(report);
  report();
  policy.onBreak(() => logger.warn({ system: name }, 'the circuit is open: the system keeps failing'));
  policy.onReset(() => logger.info({ system: name }, 'the circuit is closed: the system answers again'));

  const paused = (retryAfterMs = pausedUntil - Date.now()): UpstreamError =>
    new UpstreamError(
      'upstream-unavailable',
      `${system.title} has failed several times in a row; calls are paused for a moment.`,
      {
        kind: 'paused',
        system: name,
        call: lastCall,
        retryAfterMs: Math.max(1, retryAfterMs),
      },
    );

  const withCall = (error: unknown, operation: string): unknown => {
    if (!(error instanceof UpstreamError)) return error;
    const call = { operation, status: error.failure.status ?? null, at: new Date().toISOString() };
    if (error.isDown) lastCall = call;
    return new UpstreamError(error.code, error.message, { ...error.failure, call });
  };

  /** The failure that opened the circuit, or of a call that was sent before. */
  const whilePaused = (error: unknown): unknown => {
    if (!(error instanceof UpstreamError) || !error.isDown) return error;
    const { failure } = error;
    const retryAfterMs = Math.max(pausedUntil - Date.now(), failure.retryAfterMs ?? 1);
    const whyPaused = { ...failure, kind: 'paused', after: failure.kind, retryAfterMs } as const;
    return new UpstreamError(error.code, error.message, whyPaused);
  };

  /** Waits while another call tests the system. @throws UpstreamError while calls are paused */
  async function ready(): Promise<void> {
    const { priority, signal } = callContext();
    const until = Date.now() + maxWaitMs[priority];
    while (policy.state === CircuitState.HalfOpen) {
      const tested = nextState(policy);
      await waitingFor(`the circuit of ${nameOf(system)}`, () =>
        withTimeout(signal ? untilAborted(tested, signal) : tested, until - Date.now(), () =>
          Promise.reject(paused(pauses.firstMs)),
        ),
      );
    }
    if (policy.state === CircuitState.Open && Date.now() < pausedUntil) throw paused();
  }

  return {
    ready,
    /**
     * @param send one request without waits: all other calls may wait for it
     * @param operation its name in errors
     */
    async run<T>(send: () => Promise<T>, operation = 'a call'): Promise<T> {
      await ready();
      try {
        return await policy.execute(() => send().catch(error => Promise.reject(withCall(error, operation))));
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw paused();
        throw policy.state === CircuitState.Open ? whilePaused(error) : error;
      }
    },
    stateName: () => stateName(policy),
  };
}

const nextState = (policy: CircuitBreakerPolicy): Promise<void> =>
  new Promise(resolve => {
    const { dispose } = policy.onStateChange(() => {
      dispose();
      resolve();
    });
  });

function stateName({ state }: CircuitBreakerPolicy): CircuitStateName {
  if (state === CircuitState.Closed) return 'closed';
  return state === CircuitState.HalfOpen ? 'half-open' : 'open';
}
