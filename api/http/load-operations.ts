/** Loads the operations from their folders and refuses what cannot stand together. */
import { loadAllFromFolders } from '../../core/runtime/discover.ts';
import type { Operation } from './operation.ts';

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
