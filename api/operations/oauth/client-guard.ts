/**
 * Limits of the scope `oauth:clients`, as in SECURITY.md: a caller grants only scopes of its own token, changes only clients
 * that have no others, and cannot lock itself out. Otherwise the scope would imply all others: a caller could create a client
 * with them, or rotate the secret of one.
 */
import type { Permit } from '../../../core/oauth/clients.ts';
import type { OauthClient, TokenHolder } from '../../../core/oauth/tokens.ts';
import { type Fault, invalidInput, ServiceError } from '../../../core/runtime/errors.ts';
import type { Call } from '../../http/operation.ts';

/** The problems that `permitChange` raises, for the declaration of an operation. */
export const changeProblems = {
  forbidden: 'The bootstrap client cannot be changed here.',
  conflict: 'The client would lose its own access to these operations.',
} as const;

type Grant = Pick<OauthClient, 'scopes' | 'isActive'>;

/** @throws ServiceError invalid-input with a pointer to each unknown scope */
export function requireKnownScopes(scopes: readonly string[], known: readonly string[]): void {
  const faults = scopes.flatMap((scope, index): Fault[] =>
    known.includes(scope) ? [] : [{ pointer: `/scopes/${index}`, detail: `there is no scope ${scope}` }],
  );
  if (faults.length === 0) return;
  throw invalidInput(faults, `The scopes are: ${known.join(', ')}.`);
}

/** @throws ServiceError insufficient-scope naming the scopes that the caller's token does not have */
export function requireGrantable(caller: TokenHolder, scopes: readonly string[]): void {
  const missing = [...new Set(scopes)].filter(scope => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const names = missing.join(' ');
  throw new ServiceError(
    'insufficient-scope',
    'The token must have every scope that the client gets, has, or had since its last secret was issued; ' +
      `it does not have: ${names}.`,
    {
      headers: {
        'www-authenticate': `Bearer realm="portal-service", error="insufficient_scope", scope="${names}"`,
      },
    },
  );
}

/**
 * @param change returns scopes and state after the change
 * @throws ServiceError forbidden for the bootstrap client; conflict; insufficient-scope
 */
export function permitChange(
  { client: caller, services: { config, scopes } }: Call,
  change: (current: Grant) => Grant,
): Permit {
  return ({ clientId, ...current }, heldScopes) => {
    const next = change(current);
    if (clientId === config.BOOTSTRAP_CLIENT_ID) {
      throw new ServiceError(
        'forbidden',
        'The bootstrap client can be changed on the command line only: npm run client. Its scopes are set at each start.',
      );
    }
    rejectLockOut(caller, clientId, next);
    // A scope that the service no longer has grants nothing.
    const known = [...heldScopes, ...next.scopes].filter(scope => scopes.includes(scope));
    requireGrantable(caller, known);
  };
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
