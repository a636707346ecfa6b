/** Finds the outside systems by their place: `core/integrations/<name>/system.ts`. */
import type { z } from 'zod';
import { loadFromFolders } from '../../runtime/discover.ts';
import type { System } from './define-system.ts';

/** @throws Error when a folder and its system disagree on the name */
export async function discoverSystems(from = 'core/integrations'): Promise<System[]> {
  const systems: System[] = [];
  for (const found of await loadFromFolders(from, 'system')) {
    if (!isSystem(found.exported)) throw new Error(`${found.file} must export a system by default`);
    if (found.exported.name !== found.folder)
      throw new Error(`${found.file} says its name is ${found.exported.name}`);
    systems.push(found.exported);
  }
  return systems;
}

function isSystem(value: unknown): value is System {
  return typeof value === 'object' && value !== null && 'at' in value && 'configuredBy' in value;
}

/** What a process checks of them before it opens anything. */
export const systemConfigs = async (): Promise<z.ZodObject[]> =>
  (await discoverSystems()).map(system => system.config);
