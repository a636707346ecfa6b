/** Loads the operations from `api/operations/<group>/` and derives the scopes from them. */
import { hasMembers, loadFromFolders } from '../../core/runtime/discover.ts';
import { anyScope, type Operation } from './operation.ts';

export interface LoadedOperation extends Operation {
  /** Its folder; becomes the tag in the API document. */
  group: string;
}

/**
 * @param from folder of the groups, absolute or relative to the root
 * @throws Error naming both files of a duplicate id or path
 */
export async function loadOperations(from = 'api/operations'): Promise<LoadedOperation[]> {
  const operations: LoadedOperation[] = [];
  const seen = new Map<string, string>();
  for (const { file, folder, exported } of await loadFromFolders(from)) {
    for (const operation of [exported].flat()) {
      // A module without a default export is shared by the operations of its folder.
      if (operation === undefined) continue;
      if (!isOperation(operation))
        throw new Error(`${file} must export an operation or a list of operations by default`);
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

/** Ignores parameter names: `/links/{id}` and `/links/{linkId}` are the same route. */
const routeKey = (operation: Operation): string => `${operation.method} ${operation.path.replace(/\{\w+\}/g, '{}')}`;

const isOperation = (value: unknown): value is Operation => hasMembers(value, 'id', 'path', 'handle');

/** Descriptions of the scopes that grant more than calling operations. */
const extraScopes: Readonly<Record<string, string>> = {
  'jobs:all': 'Read and control the jobs of all clients.',
  ops: 'Open the operator pages and Bull Board; read and snooze alerts.',
};

export const allScopes = (operations: readonly Operation[]): string[] =>
  [
    ...new Set([
      ...operations.flatMap(operation => (operation.scope === anyScope ? [] : (operation.scope ?? []))),
      ...Object.keys(extraScopes),
    ]),
  ].sort();

/** By job kind: the scopes of the operations that start it. */
export function startScopes(operations: readonly Operation[]): ReadonlyMap<string, readonly string[]> {
  const scopes = new Map<string, string[]>();
  for (const { startsJob, scope } of operations) {
    if (startsJob !== undefined && scope !== null) scopes.set(startsJob, [...(scopes.get(startsJob) ?? []), scope]);
  }
  return scopes;
}

/** Description by scope, for the API document. */
export const describeScopes = (operations: readonly Operation[]): Record<string, string> =>
  Object.fromEntries(
    allScopes(operations).map(scope => [scope, extraScopes[scope] ?? `Call the operations that require ${scope}.`]),
  );
