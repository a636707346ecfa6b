/** Loads the job contracts (API and workers) and the handlers (workers only) from `workers/<kind>/`. */
import { ConfigurationError } from '../runtime/config.ts';
import { type FoundModule, hasMembers, loadFromFolders } from '../runtime/discover.ts';
import type { JobContract } from './contract.ts';
import type { JobHandler } from './handler.ts';

/** @throws Error when the kind of a contract is not the name of its folder */
export async function discoverContracts(from = 'workers'): Promise<Map<string, JobContract>> {
  const contracts = new Map<string, JobContract>();
  for (const found of await loadFromFolders(from, 'contract')) {
    if (!isContract(found.exported)) throw new Error(`${found.file} must export a job contract by default`);
    requireFolderName(found, found.exported);
    contracts.set(found.exported.kind, found.exported);
  }
  return contracts;
}

/** @param kinds empty: all @throws ConfigurationError naming unknown kinds */
export async function discoverHandlers(kinds: readonly string[], from = 'workers'): Promise<JobHandler[]> {
  const handlers: JobHandler[] = [];
  // Other handlers are not loaded, nor their dependencies, such as the browser driver.
  const isNamed = (folder: string) => kinds.length === 0 || kinds.includes(folder);
  for (const found of await loadFromFolders(from, 'handler', isNamed)) {
    if (!isHandler(found.exported)) throw new Error(`${found.file} must export a job handler by default`);
    requireFolderName(found, found.exported.job);
    handlers.push(found.exported);
  }
  const missing = kinds.filter(kind => !handlers.some(handler => handler.job.kind === kind));
  if (missing.length > 0) throw new ConfigurationError(`No queue is named ${missing.join(', ')}.`);
  return handlers;
}

function requireFolderName(found: FoundModule, contract: JobContract): void {
  if (contract.kind !== found.folder)
    throw new Error(`${found.file}: the kind must be ${found.folder}, the name of the folder; it is ${contract.kind}`);
}

const isContract = (value: unknown): value is JobContract => hasMembers(value, 'kind', 'payload', 'result');

const isHandler = (value: unknown): value is JobHandler =>
  hasMembers(value, 'open') && 'job' in value && isContract(value.job);
