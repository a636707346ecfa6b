/** Finds the job contracts (API and workers) and the handlers (workers only) in `workers/<kind>/`. */
import { ConfigurationError } from '../runtime/config.ts';
import { type FoundModule, loadFromFolders } from '../runtime/discover.ts';
import type { JobContract } from './contract.ts';
import type { JobHandler } from './handler.ts';

/** @throws Error when a folder and its contract disagree on the kind's name */
export async function discoverContracts(from = 'workers'): Promise<Map<string, JobContract>> {
  const contracts = new Map<string, JobContract>();
  for (const found of await loadFromFolders(from, 'contract')) {
    if (!isContract(found.exported)) throw new Error(`${found.file} must export a job contract by default`);
    refuseMismatch(found, found.exported);
    contracts.set(found.exported.kind, found.exported);
  }
  return contracts;
}

/**
 * @param kinds the named ones; empty: all
 * @throws ConfigurationError naming those that are not there
 */
export async function discoverHandlers(kinds: readonly string[], from = 'workers'): Promise<JobHandler[]> {
  const handlers: JobHandler[] = [];
  // What the others need, such as a browser's driver, is not loaded.
  const isNamed = (folder: string) => kinds.length === 0 || kinds.includes(folder);
  for (const found of await loadFromFolders(from, 'handler', isNamed)) {
    if (!isHandler(found.exported)) throw new Error(`${found.file} must export a job handler by default`);
    refuseMismatch(found, found.exported.job);
    handlers.push(found.exported);
  }
  const missing = kinds.filter(kind => !handlers.some(handler => handler.job.kind === kind));
  if (missing.length > 0) throw new ConfigurationError(`There is no queue named ${missing.join(', ')}.`);
  return handlers;
}

function refuseMismatch(found: FoundModule, contract: JobContract): void {
  if (contract.kind !== found.folder) throw new Error(`${found.file} says its kind is ${contract.kind}`);
}

function isContract(value: unknown): value is JobContract {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && 'payload' in value && 'result' in value
  );
}

function isHandler(value: unknown): value is JobHandler {
  return (
    typeof value === 'object' && value !== null && 'open' in value && 'job' in value && isContract(value.job)
  );
}
