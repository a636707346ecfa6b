/** Caches a vendor's access token: concurrent calls share one request for it, and it is renewed before it expires. */
import { untilAborted, withTimeout } from '../../runtime/timeout.ts';
import { callContext, maxWaitMs, waitingFor, withSharedContext } from './call-context.ts';
import { nameOf, type SystemName, UpstreamError } from './upstream-error.ts';

export interface AccessToken {
  value: string;
  /** In ms since 1970. */
  expiresAt: number;
}

/** So that no token expires while a request is in flight. */
const renewBeforeMs = 60_000;

/** @param fetchToken sends one request; the calls that need the token retry it */
export function cacheToken(system: SystemName, fetchToken: () => Promise<AccessToken>) {
  let pending: Promise<AccessToken> | undefined;
  let token: AccessToken | undefined;

  function renew(): Promise<AccessToken> {
    pending ??= withSharedContext(fetchToken).finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    async get(): Promise<string> {
      if (token && Date.now() < token.expiresAt - renewBeforeMs) return token.value;
      const { priority, signal } = callContext();
      token = await waitingFor(`an access token of ${nameOf(system)}`, () => {
        const renewed = withTimeout(renew(), maxWaitMs[priority], () => Promise.reject(noToken(system)));
        return signal ? untilAborted(renewed, signal) : renewed;
      });
      return token.value;
    },
    /** Called when the vendor rejects the token: the next call fetches another. */
    invalidate(): void {
      token = undefined;
    },
  };
}

const noToken = ({ name, title }: SystemName): UpstreamError =>
  new UpstreamError('upstream-unavailable', `${title} issued no access token in time; try again later.`, {
    kind: 'unreachable',
    system: name,
  });
