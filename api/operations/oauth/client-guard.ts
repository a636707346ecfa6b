/**
 * What a caller with `oauth:clients` may not do: pass on or take hold of more than it has itself, or lock itself out.
 * Without the first rule that one scope would be all of them: a caller could make a client that has the others, or
 * take a new secret of one.
 */
import type { OauthClient, TokenHolder } from '../../../core/oauth/tokens.ts';
import { type Fault, ServiceError } from '../../../core/runtime/errors.ts';

type Grant = Pick<OauthClient, 'scopes' | 'isActive'>;

/** @throws ServiceError invalid-input pointing at each scope that does not exist */
export function requireKnownScopes(scopes: readonly string[], known: readonly string[]): void {
  const faults = scopes.flatMap((scope, index): Fault[] =>
    known.includes(scope) ? [] : [{ pointer: `/scopes/${index}`, detail: `there is no scope ${scope}` }],
  );
  if (faults.length === 0) return;
  throw new ServiceError('invalid-input', `The scopes are: ${known.join(', ')}.`, { faults });
}

/** @throws ServiceError insufficient-scope naming the scopes that the caller's token lacks */
export function requireGrantable(caller: TokenHolder, scopes: readonly string[]): void {
  const missing = scopes.filter(scope => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const names = missing.join(' ');
  throw new ServiceError(
    'insufficient-scope',
    `Only a token that has them itself may give these scopes to a client: ${names}.`,
    {
      headers: {
        'www-authenticate': `Bearer realm="portal-service", error="insufficient_scope", scope="${names}"`,
      },
    },
  );
}

/** What of `next` the client does not have yet; coming back to life gives it all of its scopes anew. */
export function newlyGranted(current: Grant, next: Grant): string[] {
  const held = current.isActive || !next.isActive ? current.scopes : [];
  return next.scopes.filter(scope => !held.includes(scope));
}

/** @throws ServiceError conflict when the caller would end its own access to this administration */
export function refuseLockOut(caller: TokenHolder, clientId: string, next: Grant): void {
  if (caller.clientId !== clientId) return;
  if (next.isActive && next.scopes.includes('oauth:clients')) return;
  throw new ServiceError(
    'conflict',
    'A client cannot deactivate itself or take the scope oauth:clients from itself: another one has to do it.',
  );
}
