/** Each click is counted exactly once, also when the process is killed or PostgreSQL is down. */
import { randomUUID } from 'node:crypto';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickLog } from '../../../../api/redirect/click-log.ts';
import { clickTotals } from '../../../../core/domain/links/click-analytics.ts';
import { type Click, countClicks } from '../../../../core/domain/links/clicks.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { pollOptions } from '../../../support/link-clicks.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
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
const spoolsIn = async (folder: string): Promise<string[]> => await readdir(folder);

/** Writes a spool file as a process leaves it that was killed a minute ago. */
async function leaveSpool(folder: string, text: string): Promise<string> {
  const file = path.join(folder, `${uuidv7()}.clicks`);
  await writeFile(file, text);
  const before = new Date(Date.now() - 60_000);
  await utimes(file, before, before);
  return file;
}

describe('ClickLog', () => {
  it('writes clicks to the spool before add resolves, and to the database soon after', async () => {
    const folder = temporaryFolder();
    const log = new ClickLog({ database, folder, logger });
    const linkId = randomUUID();
    await Promise.all(Array.from({ length: 1_000 }, () => log.add(clickOn(linkId))));
    expect(await spoolsIn(folder)).toHaveLength(1);
    await expect.poll(() => countOf(linkId), pollOptions).toBe(1_000);
    await log.close();
  });

  it('bounds the clicks that a lost disk would cost, also when more come than PostgreSQL counts', async () => {
    const log = new ClickLog({ database, folder: temporaryFolder(), logger, maxUncountedBytes: 1024 * 1024 });
    const linkId = randomUUID();
    let answered = 0;
    let most = 0;
    while (answered < 20_000) {
      await Promise.all(Array.from({ length: 500 }, () => log.add({ ...clickOn(linkId), referrer: null })));
      answered += 500;
      if (answered % 5_000 === 0) most = Math.max(most, answered - (await countOf(linkId)));
    }
    expect(most).toBeLessThanOrEqual(10_000);
    await log.close();
  });

  it('counts the last clicks on close and deletes the spool', async () => {
    const folder = temporaryFolder();
    const log = new ClickLog({ database, folder, logger });
    const linkId = randomUUID();
    await log.add(clickOn(linkId));
    await log.close();
    expect(await countOf(linkId)).toBe(1);
    expect(await spoolsIn(folder)).toEqual([]);
  });

  it('counts the clicks of a killed process, except its incomplete last line', async () => {
    const folder = temporaryFolder();
    const linkId = randomUUID();
    await leaveSpool(folder, lineOf(linkId).repeat(5_000) + lineOf(linkId).slice(0, 40));
    const log = new ClickLog({ database, folder, logger });
    await expect.poll(() => spoolsIn(folder), pollOptions).toEqual([]);
    expect(await countOf(linkId)).toBe(5_000);
    await log.close();
  });

  it('counts an abandoned spool once when several processes find it', async () => {
    const folder = temporaryFolder();
    const linkId = randomUUID();
    await leaveSpool(folder, lineOf(linkId).repeat(20_000));
    const logs = Array.from({ length: 3 }, () => new ClickLog({ database, folder, logger }));
    await expect.poll(() => spoolsIn(folder), pollOptions).toEqual([]);
    await Promise.all(logs.map(log => log.close()));
    expect(await countOf(linkId)).toBe(20_000);
  });

  it('continues an abandoned spool at the stored offset', async () => {
    const folder = temporaryFolder();
    const linkId = randomUUID();
    const lines = lineOf(linkId).repeat(3);
    const file = await leaveSpool(folder, lines + lineOf(linkId));
    const spoolId = path.basename(file, '.clicks');
    expect(await countClicks(database, { spoolId, from: 0, to: lines.length, lines })).toBe(true);
    expect(await countClicks(database, { spoolId, from: 0, to: lines.length, lines })).toBe(false);
    const log = new ClickLog({ database, folder, logger });
    await expect.poll(() => spoolsIn(folder), pollOptions).toEqual([]);
    expect(await countOf(linkId)).toBe(4);
    await log.close();
  });

  it('keeps clicks in the spool while PostgreSQL is down and counts them afterwards', async () => {
    const proxy = await startTcpProxy(testDatabase.url);
    const distant = open(proxy.url);
    const folder = temporaryFolder();
    const log = new ClickLog({ database: distant, folder, logger });
    const linkId = randomUUID();
    await proxy.cut();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 100 }, () => log.add(clickOn(linkId))));
    }
    expect(await countOf(linkId)).toBe(0);
    await proxy.restore();
    await expect.poll(() => countOf(linkId), pollOptions).toBe(2_000);
    await log.close();
    await distant.close();
    await proxy.close();
  });

  it('starts a new spool when another process has deleted the current one as abandoned', async () => {
    const folder = temporaryFolder();
    const log = new ClickLog({ database, folder, logger });
    const linkId = randomUUID();
    await log.add(clickOn(linkId));
    await expect.poll(() => countOf(linkId), pollOptions).toBe(1);
    for (const name of await spoolsIn(folder)) await rm(path.join(folder, name));
    await log.add(clickOn(linkId));
    await expect.poll(() => countOf(linkId), pollOptions).toBe(2);
    await log.close();
  });
});
