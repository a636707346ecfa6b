/** The modules of the studio and their packages as one script. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { rootFolder, templateFolder } from '../../core/runtime/discover.ts';

/** @returns the script that the build contains (build.ts), or from a checkout a new one */
export async function studioScript(): Promise<Buffer> {
  const built = new URL('studio/studio.js', templateFolder);
  return existsSync(built) ? await readFile(built) : (await bundleStudio()).script;
}

/** @returns also the bundled source files */
export async function bundleStudio(): Promise<{ script: Buffer; sources: string[] }> {
  // A development dependency.
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: rootFolder,
    entryPoints: ['templates/studio/main.js'],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return { script: Buffer.from(outputFiles[0]?.contents ?? []), sources: Object.keys(metafile.inputs) };
}
