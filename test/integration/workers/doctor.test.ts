/** `npm run doctor` as a script uses it: a line or JSON for each check, the browser's test print, an exit code. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { rootFolder } from '../../../core/runtime/discover.ts';
import { lendBrowser } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const run = promisify(execFile);
/** A few seconds, unless the machine has other things to do. */
const timeout = 120_000;
const folder = temporaryFolder();
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  lendBrowser(folder);
  database = await createTestDatabase('doctor-command');
});
afterAll(() => database?.drop());

const doctor = (args: string[], env: Record<string, string> = {}) =>
  run(process.execPath, ['--import', 'tsx', path.join(rootFolder, 'workers/doctor.ts'), ...args], {
    cwd: rootFolder,
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: folder, NODE_ENV: 'test', ...env },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) =>
      z.object({ code: z.number(), stdout: z.string() }).parse({ ...(error instanceof Error && error) }),
  );

const Report = z.object({
  status: z.string(),
  checks: z.array(
    z.object({ name: z.string(), level: z.string(), found: z.string(), mend: z.string().optional() }),
  ),
});

it.concurrent('ends with 0 while the service would work, and prints with the browser in the project’s fonts', {
  timeout,
}, async () => {
  const { code, stdout } = await doctor(['--json']);
  expect(code, stdout).toBe(0);
  const { status, checks } = Report.parse(JSON.parse(stdout));
  expect(status).toBe('warning');
  expect(checks.filter(({ name }) => name === 'browser')).toEqual([
    {
      name: 'browser',
      level: 'ok',
      found: expect.stringMatching(/its sandbox (on|off)\), test print in \d+ ms$/),
    },
    { name: 'browser', level: 'ok', found: expect.stringContaining('Manrope') },
  ]);
});

it.concurrent('ends with 1 when something must be mended, a line each, without colours in a pipe', {
  timeout,
}, async () => {
  const { code, stdout } = await doctor([], {
    DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z',
    CHROMIUM_PATH: '/bin/no',
  });
  expect(code).toBe(1);
  expect(stdout).toContain(
    '✖ database           PostgreSQL cannot be reached (ECONNREFUSED): start it, or correct DATABASE_URL',
  );
  expect(stdout).toContain(
    '✖ browser            no browser prints here: CHROMIUM_PATH must name a browser that exists',
  );
  expect(stdout).not.toContain('\u001b[');
});
