/** Kills an API process under load: the next process counts every answered click once. */
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLinks } from '../../../../core/domain/links/links.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { openLink, pollOptions } from '../../../support/link-clicks.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../../../support/processes.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

let testDatabase: TestDatabase;
let database: Database;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase('killed-api');
  database = openDatabase({
    url: testDatabase.url,
    poolSize: 2,
    logger: pino({ level: 'silent' }),
    applicationName: 'killed-api-test',
  });
});

const visitors = 20;
const startApi = (dataFolder: string): ServiceProcess => {
  const env = { NODE_ENV: 'test', PORT: '0', DATA_DIR: dataFolder, DATABASE_URL: testDatabase.url };
  const api = startProcess('api/main.ts', { env });
  processes.push(api);
  return api;
};

afterAll(async () => {
  await stopProcesses(processes);
  await database?.close();
  await testDatabase?.drop();
});

/** Clicks on a new link in an API process until it is killed. */
async function killUnderLoad(
  dataFolder: string,
  isEnough: (answered: ReadonlySet<string>, counted: number) => boolean,
) {
  const [made] = await createLinks(database, 'http://portal.example').create([
    { kind: 'campaign', name: 'Killed', url: 'https://example.com/', clientId: 'test' },
  ]);
  const api = startApi(dataFolder);
  const origin = await api.ready;
  const answered = new Set<string>();
  // A unique referrer per click identifies it in the database.
  const clickUntilItEnds = async (): Promise<void> => {
    for (;;) {
      const referrer = `${randomUUID()}.example`;
      const answer = await openLink(`${origin}/r/${made?.link.slug}`, {
        referer: `https://${referrer}/`,
      }).catch(() => null);
      if (answer?.status !== 302) return;
      answered.add(referrer);
    }
  };
  const counted = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ referrer: string }>(
      'select referrer from link_click where link_id = $1',
      [made?.link.id],
    );
    return rows.map(({ referrer }) => referrer);
  };
  const clicking = Array.from({ length: visitors }, clickUntilItEnds);
  await expect.poll(async () => isEnough(answered, (await counted()).length), pollOptions).toBe(true);
  api.kill('SIGKILL');
  await Promise.all(clicking);
  const lost = async (): Promise<number> => {
    const known = new Set(await counted());
    return [...answered].filter(referrer => !known.has(referrer)).length;
  };
  return { answered, counted, lost };
}

it('counts every answered click exactly once after kill -9', async () => {
  const dataFolder = temporaryFolder();
  const { answered, counted, lost } = await killUnderLoad(dataFolder, ({ size }) => size > 200);
  await startApi(dataFolder).ready;
  await expect.poll(lost, pollOptions).toBe(0);
  const all = await counted();
  expect(new Set(all).size).toBe(all.length);
  // Requests in flight at the kill may be counted without having been answered.
  expect(all.length - answered.size).toBeLessThanOrEqual(visitors);
});

it('loses at most the documented number of clicks with the disk of a killed process', async () => {
  const dataFolder = temporaryFolder();
  const { counted, lost } = await killUnderLoad(dataFolder, (answered, count) => answered.size > 500 && count > 250);
  await rm(dataFolder, { recursive: true });
  const documented = /at most ([\d,]+) clicks/.exec(await readFile('docs/links-and-sms.md', 'utf8'))?.[1];
  expect(await lost()).toBeLessThanOrEqual(Number(documented?.replace(',', '')));
  expect((await counted()).length).toBeGreaterThan(250);
});
