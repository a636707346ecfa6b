/** Circuit and repeats around a call to an outside system, whatever way it goes. */
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  DelegateBackoff,
  handleWhen,
  type IPolicy,
  retry,
  wrap,
} from 'cockatiel';
import type { CallClass } from './call.ts';
import { callScope } from './call-context.ts';
import { retryAfterOpen } from './circuit.ts';
import { retryDelayMs, retryLimit } from './retry.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

export async function throughPolicies<T>(
  { system, circuit }: { system: SystemName; circuit: CircuitBreakerPolicy },
  callClass: CallClass,
  send: () => Promise<T>,
): Promise<T> {
  const scope = callScope();
  const retrying: IPolicy = retry(
    handleWhen(error => isRepeatable(callClass, error)),
    {
      maxAttempts: scope.repeats ? retryLimit(scope.priority) : 0,
      backoff: new DelegateBackoff(({ attempt, result }) =>
        retryDelayMs(attempt, 'error' in result ? result.error : undefined, scope.priority),
      ),
    },
  );
  try {
    return await wrap(retrying, circuit).execute(send, scope.signal);
  } catch (error) {
    scope.signal?.throwIfAborted();
    if (!(error instanceof BrokenCircuitError)) throw error;
    throw new UpstreamError(
      'upstream-unavailable',
      `${system.title} has failed several times in a row; it is left alone for a moment.`,
      { system: system.name, passing: true, mayHaveRun: false, retryAfterMs: retryAfterOpen },
    );
  }
}

function isRepeatable(callClass: CallClass, error: Error): boolean {
  if (!(error instanceof UpstreamError) || !error.passing) return false;
  return callClass === 'create' ? !error.failure.mayHaveRun : true;
}
