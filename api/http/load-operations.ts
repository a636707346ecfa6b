/** Loads the operations from `api/operations/<group>/`, one from each file, and derives the scopes from them. */
import { hasMembers, loadFromFolders } from '../../core/runtime/discover.ts';
import { anyScope, type Operation } from './operation.ts';

export interface LoadedOperation extends Operation {
  /** Its folder; becomes the tag in the API document. */
  group: string;
  method: string;
  /** Below the base path. */
  path: string;
}

export function inGroup(group: string, operation: Operation): LoadedOperation {
  const [method = '', path = ''] = operation.route.split(' ');
  return { ...operation, group, method, path };
}

/**
 * @param from folder of the groups, absolute or relative to the root
 * @throws Error naming both files of a duplicate id or path
 */
export async function loadOperations(from = 'api/operations'): Promise<LoadedOperation[]> {
  const operations: LoadedOperation[] = [];
  const seen = new Map<string, string>();
  for (const { file, folder, exported } of await loadFromFolders(from)) {
    // A module without a default export is shared by the operations of its folder.
    if (exported === undefined) continue;
    if (!isOperation(exported)) throw new Error(`${file} must export one operation by default`);
    // Ignores parameter names: `/links/{id}` and `/links/{linkId}` are the same route.
    for (const key of [exported.id, exported.route.replace(/\{\w+\}/g, '{}')]) {
      const other = seen.get(key);
      if (other !== undefined) throw new Error(`${file} and ${other} both define ${key}`);
      seen.set(key, file);
    }
    operations.push(inGroup(folder, exported));
  }
  return operations;
}

const isOperation = (value: unknown): value is Operation => hasMembers(value, 'id', 'route', 'handle');

/** Scopes that grant more than calling operations. */
const extraScopes = ['jobs:all', 'ops', 'pdf:mail'];

/** For the API document. */
const scopeDescriptions: Readonly<Record<string, string>> = {
  'jobs:all': 'Read and control the jobs of all clients.',
  ops: 'Open the operator pages and Bull Board; read the metrics.',
  pdf: 'Print brochures and previews; list the brands.',
  'pdf:mail': 'Send brochures by e-mail.',
  'portal:read': 'Read users and locations of the portal.',
  'portal:write': 'Write people’s activity on the portal to the CRM.',
  leads: 'Update and enrich leads of the CRM.',
  'crm:read': 'Read leads, deals, products, items and users of the CRM.',
  'crm:write': 'Create leads and items of the CRM.',
  'crm:sync': 'Synchronise deals and locations with the CRM and the listing portal.',
  'users:terminate': 'Revoke the accounts of people who leave.',
  'directory:read': 'Read users, groups and scheduled changes of the identity directory.',
  'directory:write': 'Schedule changes of users in the identity directory.',
  'projects:read': 'Read the property-project system.',
  'projects:write': 'Change users and upload images in the property-project system.',
  'links:read': 'Read short links, their QR codes and clicks.',
  'links:write': 'Create short links.',
  'employees:read': 'Read employees, with personal data.',
  'employees:write': 'Create, change and delete single employees.',
  'employees:sync': 'Resynchronise, delete and restore all employees.',
  events: 'Read the events platform and create leads from its orders.',
  telephony: 'Send SMS, and check numbers against the do-not-call registry.',
  'schedules:read': 'Read the schedules and their runs.',
  'schedules:run': 'Run, pause and resume schedules.',
  'oauth:clients': 'Create and change clients with at most the scopes of the own token.',
};

export const allScopes = (operations: readonly Operation[]): string[] =>
  [
    ...new Set([
      ...operations.flatMap(operation => (operation.scope === anyScope ? [] : (operation.scope ?? []))),
      ...extraScopes,
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

export const describeScopes = (operations: readonly Operation[]): Record<string, string> =>
  Object.fromEntries(
    allScopes(operations).map(scope => [
      scope,
      scopeDescriptions[scope] ?? `Call the operations that require ${scope}.`,
    ]),
  );
