/**
 * `npm run mutate -- core/egress`: changes one operator, condition or value of the code at a time, runs the tests of its
 * folder, and prints the changes that no test detects and the score of each file.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { startTestServer } from '../support/test-postgres.ts';
import { openRedis } from '../support/test-redis.ts';

type Mutants = Awaited<ReturnType<Stryker['runMutationTest']>>;

const usage = `npm run mutate -- PATH… [--with GLOB] [--without GLOB] [--minutes 60]
npm run mutate -- core/egress core/jobs/service.ts:40-90

Changes the code of the files and folders, and prints the changes that no test of their folders detects.
  --with      further test files; may be repeated
  --without   test files that do not run; may be repeated
  --minutes   begins no further file after this time
`;

const { positionals: paths, values } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', multiple: true, default: [] },
    without: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
});

const missing = paths.map(withoutLines).filter(path => !existsSync(path));
const minutes = Number(values.minutes);

if (values.help) {
  process.stdout.write(usage);
} else if (paths.length === 0) {
  fail(`Name folders or files:\n${usage}`);
} else if (missing.length > 0) {
  fail(`There is no file or folder ${missing.join(', ')}. Paths begin in the repository’s root, such as core/egress.`);
} else if (!(minutes > 0)) {
  fail(`--minutes must be a positive number; it was ${values.minutes}.`);
} else {
  setPriority(constants.priority.PRIORITY_LOW);
  process.env.MUTATION_TESTS_EXCLUDED = values.without.join('\n');
  await measure();
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Runs one file after the other, so that only the tests that load the file run, and a time limit keeps whole files. */
async function measure(): Promise<void> {
  const endsAt = Date.now() + minutes * 60_000;
  const stop = await startServers();
  const measured: (readonly [string, Mutants])[] = [];
  try {
    for (const { file, tests } of paths.flatMap(targetsOf)) {
      if (Date.now() > endsAt) process.stdout.write(`Not measured within ${minutes} minutes: ${file}\n`);
      else measured.push([file, await mutate(file, [...tests, ...values.with])]);
    }
  } finally {
    await stop();
    measured.push(['total', measured.flatMap(([, mutants]) => mutants)]);
    for (const [file, mutants] of measured) process.stdout.write(`${scoreLine(file, mutants)}\n`);
  }
}

/** PostgreSQL and Redis for the whole run: Stryker ends a test process with a mutant that hangs, and its servers. */
async function startServers(): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([startTestServer(), openRedis()]);
  process.env.TEST_DATABASE_URL = postgres.url;
  if (redis) process.env.TEST_REDIS_URL = redis.url;
  return async () => void (await Promise.all([postgres.stop(), redis?.stop()]));
}

async function mutate(file: string, tests: readonly string[]): Promise<Mutants> {
  process.env.MUTATION_TESTS = tests.join('\n');
  return await new Stryker({ configFile: 'test/mutation/stryker.config.json', mutate: [file] }).runMutationTest();
}

/** The files of a folder with the folder's tests; tables are tested by the migrations. */
function targetsOf(path: string): { file: string; tests: string[] }[] {
  if (!statSync(withoutLines(path)).isDirectory()) return [{ file: path, tests: testsOf(dirname(path), '*') }];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('schema.ts'))
    .sort()
    .map(name => ({ file: join(path, name), tests: testsOf(path, '**/*') }));
}

/** `core/jobs/service.ts:40-90` names some lines of a file. */
function withoutLines(path: string): string {
  return path.replace(/:.*/, '');
}

function testsOf(folder: string, names: string): string[] {
  return ['unit', 'integration'].map(kind => `test/${kind}/${folder}/${names}.test.ts`);
}

/** Without changes, no test loads the file, or it holds only types. A time-out may be due to other load. */
function scoreLine(file: string, mutants: Mutants): string {
  const count = (...states: Mutants[number]['status'][]) =>
    mutants.filter(({ status }) => states.includes(status)).length;
  const detected = count('Killed', 'Timeout');
  const changes = detected + count('Survived', 'NoCoverage');
  const score = changes === 0 ? '-' : `${Math.round((detected / changes) * 100)} %`;
  const timedOut = count('Timeout') === 0 ? '' : ` (${count('Timeout')} timed out)`;
  return `${score.padStart(6)}  ${String(detected).padStart(4)} of ${String(changes).padStart(4)}  ${file}${timedOut}`;
}
