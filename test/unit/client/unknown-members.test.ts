import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../../..');
const options = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --allowImportingTsExtensions';
const target = '--target es2023 --module nodenext --lib es2023,dom,dom.iterable --types node --ignoreConfig';

it('do not compile in calls of the typed client', async () => {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const file = fileURLToPath(new URL('./unknown-members.ts', import.meta.url));
  const failure = await promisify(execFile)(compiler, [...`${options} ${target}`.split(' '), file], { cwd: root }).then(
    () => '',
    (error: unknown) => z.object({ stdout: z.string() }).parse(error).stdout,
  );
  expect(failure).toBe('');
});
