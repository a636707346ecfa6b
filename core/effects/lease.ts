/** What all claims of the effects ledger have in common: how long they last, and what is said of those of others. */

import { callScope } from '../integrations/kit/call-context.ts';
import { ServiceError } from '../runtime/errors.ts';

/** A claim is renewed while its process lives; then it lasts this long. */
export const leaseSeconds = 30;
export const renewEveryMs = 10_000;
/** How long somebody else's claim is waited for, in ms: somewhat longer than it lasts when its process died. */
export const patienceMs = 40_000;
export const askAgainMs = 200;

/** For waiting that ends when the work is told to stop. */
export const signalOption = () => {
  const { signal } = callScope();
  return signal ? { signal } : {};
};

export const stillAtIt = (kind: string): ServiceError =>
  new ServiceError('conflict', `The same is being done by another process (${kind}).`, {
    passing: true,
    retryAfterSeconds: 5,
  });
