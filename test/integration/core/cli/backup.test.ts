/** `npm run backup` while the service works, and `npm run restore` into other installations. */
import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { openFilesIn } from '../../../support/open-files.ts';
import { startProcess } from '../../../support/processes.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { temporaryFolder as postgresFolder, removeServer } from '../../../support/test-postgres.ts';
import { startTestService } from '../../../support/test-service.ts';

const folder = temporaryFolder();
const backup = path.join(folder, 'backup');
let source: BrochureService;
let brochure: { id: string; pdf: Buffer };
/** Rows of the table that is written last, in all, when the backup had ended. */
let written: number;

const Manifest = z.looseObject({
  createdAt: z.string(),
  tables: z.array(z.object({ name: z.string(), rows: z.number() })),
});
const manifestOf = (of: string) => {
  const { createdAt: _, ...rest } = Manifest.parse(JSON.parse(readFileSync(path.join(of, 'backup.json'), 'utf8')));
  return rest;
};

async function run(command: string, args: string[], env: Record<string, string>) {
  const started = startProcess('core/cli/backup.ts', {
    args: [command, ...args],
    env: { NODE_ENV: 'test', ...env },
    built: true,
  });
  return { code: await started.ended, output: started.output() };
}

/** Commits a row in the first and one in the last of the tables, again and again. @returns the number of transactions */
async function write(url: string, signal: AbortSignal): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let transactions = 0;
  for (; !signal.aborted; transactions++) {
    await client.query(
      `with first as (insert into audit_entry (actor_kind, actor, action, target) values ('command', 'test', 'test', 'test'))
       insert into visitor_salt (day, salt) values (date '2100-01-01' + $1::int, 'test')`,
      [transactions],
    );
    await nextTurn();
  }
  await client.end();
  return transactions;
}

const counts = `select (select count(*)::int from audit_entry where action = 'test') as first,
  (select count(*)::int from visitor_salt where salt = 'test') as last`;

beforeAll(async () => {
  source = await startBrochureService('backup');
  const list = [{ reference_number: 'R-1', title_en: 'Villa', photo: [source.photos.photo(1)] }];
  const job = await source.client.requestJob('POST', '/apps/portal/v1/pdf', { body: { list } });
  expect(await source.client.waitForJob(job.id)).toMatchObject({ state: 'succeeded' });
  brochure = { id: job.id, pdf: (await source.client.request('GET', `/jobs/${job.id}/result`)).bytes };

  const { databaseUrl, dataFolder } = source.service;
  const writing = new AbortController();
  const transactions = write(databaseUrl, writing.signal);
  const made = await run('backup', [backup], { DATABASE_URL: databaseUrl, DATA_DIR: dataFolder });
  writing.abort();
  written = await transactions;
  expect(made).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Wrote .+ rows in \d+ tables, 2 files of results\./),
  });
});
afterAll(() => source?.close());

/** The environment of a restore into a new database. */
async function emptyTarget(): Promise<{ DATABASE_URL: string; DATA_DIR: string }> {
  const target = await createTestDatabase('restore');
  onTestFinished(() => target.drop());
  return { DATABASE_URL: target.url, DATA_DIR: path.join(folder, randomUUID()) };
}

it('writes files that other users of the machine cannot read', () => expect(openFilesIn(backup)).toEqual([]));

it('restores one state of all tables and the bytes of a brochure into an empty database', async () => {
  const env = await emptyTarget();
  const restored = await run('restore', [backup], env);
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('Restored the backup of') });

  const service = await startTestService('restored', { databaseUrl: () => env.DATABASE_URL, env });
  try {
    const client = await service.client(['pdf', 'jobs:all']);
    expect((await client.request('GET', `/jobs/${brochure.id}/result`)).bytes).toEqual(brochure.pdf);
    expect((await client.job(brochure.id)).id).toBe(brochure.id);
    const { rows } = await service.database.pool.query(counts);
    expect(rows[0].first).toBe(rows[0].last);
    expect(rows[0].first).toBeGreaterThan(0);
    expect(rows[0].first).toBeLessThan(written);
    // A sequence continues after its restored rows.
    await service.database.pool.query(
      "insert into audit_entry (actor_kind, actor, action, target) values ('command', 'test', 'later', 'test')",
    );
  } finally {
    await service.close();
  }

  const refused = await run('restore', [backup], env);
  expect(refused).toEqual({
    code: 1,
    output: 'The database has data. To delete it and restore the backup, add --overwrite.\n',
  });
  expect(await run('restore', [backup, '--overwrite'], env)).toMatchObject({ code: 0 });
  const again = path.join(folder, 'again');
  expect(await run('backup', [again], env)).toMatchObject({ code: 0 });
  expect(manifestOf(again)).toEqual(manifestOf(backup));
});

it('restores into an empty installation with the embedded PostgreSQL', async () => {
  const dataDir = await postgresFolder();
  try {
    const { code, output } = await run('restore', [backup], { DATA_DIR: dataDir });
    expect(code, output).toBe(0);
    const again = path.join(folder, randomUUID());
    expect(await run('backup', [again], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
    expect(manifestOf(again)).toEqual(manifestOf(backup));
  } finally {
    await removeServer(dataDir);
  }
});

it('changes nothing while the service runs, and for a damaged or incomplete backup', async () => {
  const { databaseUrl, dataFolder } = source.service;
  const running = await run('restore', [backup, '--overwrite'], { DATABASE_URL: databaseUrl, DATA_DIR: dataFolder });
  expect(running).toEqual({ code: 1, output: 'The service runs (portal-test): stop it first.\n' });

  const env = await emptyTarget();
  expect(await run('restore', [backup], env)).toMatchObject({ code: 0 });
  const damaged = path.join(folder, 'damaged');
  cpSync(backup, damaged, { recursive: true });
  const incomplete = await run('restore', [path.join(damaged, 'tables'), '--overwrite'], env);
  expect(incomplete.output).toMatch(/is no complete backup: it has no backup\.json\.$/m);
  const job = path.join(damaged, 'tables', 'job.copy.gz');
  const content = readFileSync(job);
  content[content.length - 12] = (content[content.length - 12] ?? 0) ^ 1;
  writeFileSync(job, content);
  expect(await run('restore', [damaged, '--overwrite'], env)).toMatchObject({ code: 1 });

  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(counts);
  await client.end();
  expect(rows[0].first).toBeGreaterThan(0);
});
