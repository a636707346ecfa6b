/** The scopes a client can have: those that operations name, and two that no operation needs to be called. */
import { anyScope, type Operation } from './operation.ts';

/** What each scope allows, for the API document; one not named here is told by its operations. */
const extraScopes: Readonly<Record<string, string>> = {
  'jobs:all': 'See and steer everyone’s jobs.',
  ops: 'Open the page of operations and Bull Board; see and snooze alerts.',
};

export const allScopes = (operations: readonly Operation[]): string[] =>
  [
    ...new Set([
      ...operations.flatMap(operation => (operation.scope === anyScope ? [] : (operation.scope ?? []))),
      ...Object.keys(extraScopes),
    ]),
  ].sort();

/** By kind of job: the scopes of the operations that start one. */
export function startScopes(operations: readonly Operation[]): ReadonlyMap<string, readonly string[]> {
  const scopes = new Map<string, string[]>();
  for (const { startsJob, scope } of operations) {
    if (startsJob !== undefined && scope !== null)
      scopes.set(startsJob, [...(scopes.get(startsJob) ?? []), scope]);
  }
  return scopes;
}

/** Scope and sentence, for the API document. */
export const describeScopes = (operations: readonly Operation[]): Record<string, string> =>
  Object.fromEntries(
    allScopes(operations).map(scope => [
      scope,
      extraScopes[scope] ?? `Call the operations that need ${scope}.`,
    ]),
  );
