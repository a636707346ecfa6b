/** Loads the operations from their folders and refuses what cannot stand together. */
import { loadAllFromFolders } from '../../core/runtime/discover.ts';
import { anyScope, type Operation } from './operation.ts';

export interface LoadedOperation extends Operation {
  /** The folder it lies in: its tag in the API document. */
  group: string;
}

/**
 * @param from the folder of the groups, from the root or absolute
 * @throws Error naming the files of a duplicate id or path
 */
export async function loadOperations(from = 'api/operations'): Promise<LoadedOperation[]> {
  const operations: LoadedOperation[] = [];
  const seen = new Map<string, string>();
  for (const { file, folder, exported } of await loadAllFromFolders(from)) {
    for (const operation of [exported].flat()) {
      // A module without a default export is a part that operations of its folder share.
      if (operation === undefined) continue;
      if (!isOperation(operation))
        throw new Error(`${file} must export an operation, or several, by default`);
      for (const key of [operation.id, routeKey(operation)]) {
        const other = seen.get(key);
        if (other !== undefined) throw new Error(`${file} and ${other} both define ${key}`);
        seen.set(key, file);
      }
      operations.push({ ...operation, group: folder });
    }
  }
  return operations;
}

/** Two paths that differ in their parameters' names only are the same route. */
const routeKey = (operation: Operation): string =>
  `${operation.method} ${operation.path.replace(/\{\w+\}/g, '{}')}`;

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'id' in value && 'path' in value && 'handle' in value;
}

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
