/** Clicks are counted once each: whatever becomes of the process that took them, and of PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickLog } from '../../../../api/redirect/click-log.ts';
import type { Click } from '../../../../core/domain/links/link.ts';
import { clickTotals } from '../../../../core/domain/links/click-analytics.ts';
import { countClicks } from '../../../../core/domain/links/clicks.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { startLineCutter } from '../../../support/line-cutter.ts';
import { patience } from '../../../support/link-clicks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

const logger = pino({ level: 'silent' });
let testDatabase: TestDatabase;
let database: Database;

const open = (url: string) => openDatabase({ url, poolSize: 4, logger, applicationName: 'click-log-test' });

beforeAll(async () => {
  testDatabase = await createTestDatabase('click-log');
  database = open(testDatabase.url);
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const clickOn = (linkId: string): Click => ({
  linkId,
  at: Date.now(),
  class: 'human',
  scanned: false,
  visitor: randomUUID(),
  country: 'AE',
  referrer: 'a"b\\c.example',
  device: 'mobile',
  browser: 'Safari',
});
const lineOf = (linkId: string): string => `${JSON.stringify(clickOn(linkId))}\n`;
const countOf = async (linkId: string): Promise<number> =>
  (await clickTotals(database, [linkId])).get(linkId)?.total ?? 0;
const journalsIn = async (folder: string): Promise<string[]> => await readdir(folder);

/** As a process leaves it that was killed a while ago. */
async function leave(folder: string, text: string): Promise<string> {
  const file = path.join(folder, `${uuidv7()}.clicks`);
  await writeFile(file, text);
  const before = new Date(Date.now() - 60_000);
  await utimes(file, before, before);
  return file;
}

describe('a click', () => {
  it('is on the disk before it is answered, and in the database a moment later', async () => {
    const folder = temporaryFolder();
    const log = new ClickLog({ database, folder, logger });
    const linkId = randomUUID();
    await Promise.all(Array.from({ length: 1_000 }, () => log.add(clickOn(linkId))));
    expect(await journalsIn(folder)).toHaveLength(1);
    await expect.poll(() => countOf(linkId), patience).toBe(1_000);
    await log.close();
  });

  it('is counted when the process ends, and nothing is left on the disk', async () => {
    const folder = temporaryFolder();
    const log = new ClickLog({ database, folder, logger });
    const linkId = randomUUID();
    await log.add(clickOn(linkId));
    await log.close();
    expect(await countOf(linkId)).toBe(1);
    expect(await journalsIn(folder)).toEqual([]);
  });

  it('of a process that was killed is counted by another one, without the line that was being written', async () => {
    const folder = temporaryFolder();
    const linkId = randomUUID();
    await leave(folder, lineOf(linkId).repeat(5_000) + lineOf(linkId).slice(0, 40));
    const log = new ClickLog({ database, folder, logger });
    await expect.poll(() => journalsIn(folder), patience).toEqual([]);
    expect(await countOf(linkId)).toBe(5_000);
    await log.close();
  });

  it('is counted once when several processes find what was left', async () => {
    const folder = temporaryFolder();
    const linkId = randomUUID();
    await leave(folder, lineOf(linkId).repeat(20_000));
    const logs = Array.from({ length: 3 }, () => new ClickLog({ database, folder, logger }));
    await expect.poll(() => journalsIn(folder), patience).toEqual([]);
    await Promise.all(logs.map(log => log.close()));
    expect(await countOf(linkId)).toBe(20_000);
  });

  it('is counted once when the process died after it was written and before that was noted', async () => {
    const folder = temporaryFolder();
    const linkId = randomUUID();
    const lines = lineOf(linkId).repeat(3);
    const file = await leave(folder, lines + lineOf(linkId));
    const journalId = path.basename(file, '.clicks');
    expect(await countClicks(database, { journalId, from: 0, to: lines.length, lines })).toBe(true);
    expect(await countClicks(database, { journalId, from: 0, to: lines.length, lines })).toBe(false);
    const log = new ClickLog({ database, folder, logger });
    await expect.poll(() => journalsIn(folder), patience).toEqual([]);
    expect(await countOf(linkId)).toBe(4);
    await log.close();
  });

  it('waits on the disk while PostgreSQL is away, and is counted when it is back', async () => {
    const line = await startLineCutter(testDatabase.url);
    const distant = open(line.url);
    const folder = temporaryFolder();
    const log = new ClickLog({ database: distant, folder, logger });
    const linkId = randomUUID();
    await line.cut();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 100 }, () => log.add(clickOn(linkId))));
    }
    expect(await countOf(linkId)).toBe(0);
    await line.mend();
    await expect.poll(() => countOf(linkId), patience).toBe(2_000);
    await log.close();
    await distant.close();
    await line.close();
  });

  it('goes to a new journal when another process took this one’s for abandoned and removed it', async () => {
    const folder = temporaryFolder();
    const log = new ClickLog({ database, folder, logger });
    const linkId = randomUUID();
    await log.add(clickOn(linkId));
    await expect.poll(() => countOf(linkId), patience).toBe(1);
    for (const name of await journalsIn(folder)) await rm(path.join(folder, name));
    await log.add(clickOn(linkId));
    await expect.poll(() => countOf(linkId), patience).toBe(2);
    await log.close();
  });
});
