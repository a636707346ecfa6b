/** `--help` of the commands that start processes: it opens nothing, so it works while the service runs. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { builtProgram } from '../../../support/processes.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const run = promisify(execFile);

it.each([
  ['core/cli/start.ts', 'npm start '],
  ['core/cli/import-0x.ts', 'npm run import-0x '],
  ['api/main.ts', 'npm run api '],
  ['workers/scheduler.ts', 'npm run scheduler '],
  ['workers/main.ts', 'npm run worker -- pdf'],
  ['sandbox/main.ts', 'npm run sandbox -- --reset'],
])('%s --help prints its usage and leaves the data folder empty', { timeout: 120_000 }, async (program, usage) => {
  const folder = temporaryFolder();
  const env = { PATH: process.env.PATH, DATA_DIR: folder };
  const { stdout } = await run(process.execPath, [...builtProgram(program), '--help'], { env });
  expect(stdout).toContain(usage);
  expect(readdirSync(folder)).toEqual([]);
});
