/** The circuit of an outside system in this process: a system that is down is left alone instead of called on. */
import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import type { Logger } from 'pino';
import { circuitState } from '../../telemetry/meter.ts';
import { UpstreamError } from './upstream-error.ts';

/** Failures in a row that open the circuit. */
const failuresToOpen = 6;
const firstPauseMs = 5_000;
const longestPauseMs = 60_000;

/** What a caller is told to wait while a circuit is open, in ms. */
export const retryAfterOpen = firstPauseMs;

export function newCircuit(system: string, logger: Logger): CircuitBreakerPolicy {
  const circuit = circuitBreaker(
    handleWhen(error => error instanceof UpstreamError && error.failure.down === true),
    {
      halfOpenAfter: new ExponentialBackoff({ initialDelay: firstPauseMs, maxDelay: longestPauseMs }),
      breaker: new ConsecutiveBreaker(failuresToOpen),
    },
  );
  const tell = () => circuitState.set({ system }, stateNumbers[circuitWord(circuit)]);
  circuit.onStateChange(tell);
  tell();
  circuit.onBreak(() => logger.warn({ system }, 'the circuit is open: the system keeps failing'));
  circuit.onReset(() => logger.info({ system }, 'the circuit is closed: the system answers again'));
  return circuit;
}

export type CircuitWord = 'closed' | 'open' | 'half-open';

const stateNumbers: Record<CircuitWord, number> = { closed: 0, 'half-open': 1, open: 2 };

export function circuitWord({ state }: CircuitBreakerPolicy): CircuitWord {
  if (state === CircuitState.Closed) return 'closed';
  return state === CircuitState.HalfOpen ? 'half-open' : 'open';
}
