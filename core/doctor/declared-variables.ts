/** Every variable that the service reads, found as the files that declare them: `config.ts` and `<part>-config.ts`. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { rootFolder } from '../runtime/discover.ts';

/** The declarations of API, workers and what they share. */
export async function declarations(): Promise<z.ZodObject[]> {
  const found: z.ZodObject[] = [];
  for (const folder of ['api', 'core', 'workers']) {
    const files = await readdir(path.join(rootFolder, folder), { recursive: true });
    for (const file of files.filter(name => /(^|[/\\-])config\.[jt]s$/.test(name)).sort()) {
      const module: unknown = await import(pathToFileURL(path.join(rootFolder, folder, file)).href);
      if (typeof module !== 'object' || module === null) continue;
      for (const [name, exported] of Object.entries(module))
        if (name.endsWith('Config') && exported instanceof z.ZodObject) found.push(exported);
    }
  }
  return found;
}

export const variablesOf = (declared: readonly z.ZodObject[]): Set<string> =>
  new Set(declared.flatMap(one => Object.keys(one.shape)));
