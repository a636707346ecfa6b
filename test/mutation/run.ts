/**
 * `npm run mutate -- core/egress`: changes one operator, condition or value of the code at a time, runs the unit tests
 * of the file's folder, and prints the score of each file and the changes that no test detects.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const { positionals: paths } = parseArgs({ allowPositionals: true });
const files = paths.flatMap(filesOf);

if (files.length === 0) {
  process.stderr.write('Name folders or files with unit tests: npm run mutate -- core/egress workers/pdf/listing.ts\n');
  process.exitCode = 1;
} else {
  setPriority(constants.priority.PRIORITY_LOW);
  process.env.MUTATION_TESTS = [...new Set(files.map(file => `test/unit/${dirname(file)}/*.test.ts`))].join();
  await new Stryker({ configFile: 'test/mutation/stryker.config.json', mutate: files }).runMutationTest();
}

/** Of a folder, the files that have a unit test of their own. @throws for a path that does not exist */
function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new Error(`${path} does not exist.`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map(name => join(path, name))
    .filter(file => file.endsWith('.ts') && existsSync(join('test/unit', file.replace(/\.ts$/, '.test.ts'))));
}
