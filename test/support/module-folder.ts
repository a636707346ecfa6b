/** Folders of generated modules, for tests of the loaders of operations and jobs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** @param modules source of each module's default export, by path such as `links/create.js` */
export function createModuleFolder(modules: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  for (const [file, exported] of Object.entries(modules)) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), `export default ${exported};\n`);
  }
  return folder;
}
