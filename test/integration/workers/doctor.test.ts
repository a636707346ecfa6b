/** The command `npm run doctor`: output as lines or JSON, the test print of the browser, the exit code. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { rootFolder } from '../../../core/runtime/discover.ts';
import { builtProgram, linkBrowserFolder } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const run = promisify(execFile);
/** In ms. A run takes a few seconds; more on a busy machine. */
const timeout = 120_000;
const folder = temporaryFolder();
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  linkBrowserFolder(folder);
  database = await createTestDatabase('doctor-command');
});
afterAll(() => database?.drop());

const doctor = (args: string[], env: Record<string, string> = {}) =>
  run(process.execPath, [...builtProgram('workers/doctor.ts'), ...args], {
    cwd: rootFolder,
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: folder, NODE_ENV: 'test', ...env },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) =>
      z.object({ code: z.number(), stdout: z.string() }).parse({ ...(error instanceof Error && error) }),
  );

const Report = z.object({
  status: z.string(),
  checks: z.array(z.object({ name: z.string(), level: z.string(), found: z.string(), mend: z.string().optional() })),
});

it.concurrent('exits with 0 when nothing fails, and prints a test page in the project’s fonts', {
  timeout,
}, async () => {
  const { code, stdout } = await doctor(['--json']);
  expect(code, stdout).toBe(0);
  const { status, checks } = Report.parse(JSON.parse(stdout));
  expect(status).toBe('warning');
  expect(checks.filter(({ name }) => name === 'browser')).toEqual([
    { name: 'browser', level: 'ok', found: expect.stringMatching(/its sandbox (on|off)\), test print in \d+ ms$/) },
    { name: 'browser', level: 'ok', found: expect.stringContaining('Manrope') },
  ]);
});

it.concurrent('exits with 1 on a failure, one line per finding, without colours in a pipe', { timeout }, async () => {
  const { code, stdout } = await doctor([], {
    DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z',
    CHROMIUM_PATH: '/bin/no',
  });
  expect(code).toBe(1);
  expect(stdout).toContain(
    '✖ database           cannot connect to PostgreSQL (ECONNREFUSED): start it, or correct DATABASE_URL',
  );
  expect(stdout).toContain(
    '✖ browser            no browser prints here: CHROMIUM_PATH must name a browser that exists',
  );
  expect(stdout).not.toContain('\u001b[');
});
