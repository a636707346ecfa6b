/** The commands of the README and of docs/jobs.md, run as printed. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { rootFolder } from '../../core/runtime/discover.ts';

const run = promisify(execFile);
const pages = ['README.md', 'docs/jobs.md'].map(page => readFileSync(path.join(rootFolder, page), 'utf8')).join('\n');
const blocks = [...pages.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text.trim());
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(rootFolder, 'package.json'), 'utf8')));

/** The file that an npm script runs after it has installed the dependencies. */
export const fileOfScript = (script: string): string => /(\S+\.ts)$/.exec(scripts[script] ?? '')?.[1] ?? '';

export function codeBlock(beginning: string): string {
  const found = blocks.find(text => text.startsWith(beginning));
  if (found === undefined) throw new Error(`the pages have no code block that begins with ${beginning}`);
  return found;
}

/** Runs the commands in a shell, with the ports of the test's service if the environment contains them. */
export async function runInShell(commands: string, env: Record<string, string> = {}): Promise<string> {
  const { PORT = '9000', SANDBOX_PORT = '9100' } = env;
  const command = commands.replaceAll('localhost:9000', `127.0.0.1:${PORT}`).replaceAll(':9100', `:${SANDBOX_PORT}`);
  const { stdout } = await run('sh', ['-ec', command], {
    cwd: rootFolder,
    env: { ...process.env, ...env, NPM_CONFIG_LOGLEVEL: 'silent' },
  }).catch(error => {
    throw new Error(`${commands}\n${error.stdout}\n${error.stderr}`, { cause: error });
  });
  return stdout;
}
