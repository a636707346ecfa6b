/**
 * Limits of the scope `oauth:clients`: a caller grants only scopes of its own token, and cannot lock itself out. Otherwise
 * the scope would imply all others: a caller could create a client with them, or rotate the secret of one.
 */
import type { OauthClient, TokenHolder } from '../../../core/oauth/tokens.ts';
import { type Fault, ServiceError } from '../../../core/runtime/errors.ts';

type Grant = Pick<OauthClient, 'scopes' | 'isActive'>;

/** @throws ServiceError invalid-input with a pointer to each unknown scope */
export function requireKnownScopes(scopes: readonly string[], known: readonly string[]): void {
  const faults = scopes.flatMap((scope, index): Fault[] =>
    known.includes(scope) ? [] : [{ pointer: `/scopes/${index}`, detail: `there is no scope ${scope}` }],
  );
  if (faults.length === 0) return;
  throw new ServiceError('invalid-input', `The scopes are: ${known.join(', ')}.`, { faults });
}

/** @throws ServiceError insufficient-scope naming the scopes that the caller's token does not have */
export function requireGrantable(caller: TokenHolder, scopes: readonly string[]): void {
  const missing = scopes.filter(scope => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const names = missing.join(' ');
  throw new ServiceError(
    'insufficient-scope',
    `The token must have the scopes that it grants to a client; it does not have: ${names}.`,
    {
      headers: {
        'www-authenticate': `Bearer realm="portal-service", error="insufficient_scope", scope="${names}"`,
      },
    },
  );
}

/** The scopes that the change grants; activating a client grants all of its scopes. */
export function newlyGranted(current: Grant, next: Grant): string[] {
  const currentScopes = current.isActive || !next.isActive ? current.scopes : [];
  return next.scopes.filter(scope => !currentScopes.includes(scope));
}

/** @throws ServiceError conflict when the caller would remove its own access to these operations */
export function rejectLockOut(caller: TokenHolder, clientId: string, next: Grant): void {
  if (caller.clientId !== clientId) return;
  if (next.isActive && next.scopes.includes('oauth:clients')) return;
  throw new ServiceError(
    'conflict',
    'A client cannot deactivate itself or remove its own scope oauth:clients: use another client.',
  );
}
