/** Clicks are written every 200 ms and on close, and stay in a bounded memory while PostgreSQL is down. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ClickBuffer } from '../../../../api/redirect/click-buffer.ts';
import { type Click, deleteClicks } from '../../../../core/domain/links/clicks.ts';
import { openDatabase } from '../../../../core/postgres/client.ts';
import { clicksDropped } from '../../../../core/telemetry/meter.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const { database, url } = await useTestDatabase('click-buffer');

const open = (url: string) => openDatabase({ url, poolSize: 4, logger, applicationName: 'click-buffer-test' });

const clickOn = (linkId: string): Click => ({
  linkId,
  at: Date.now(),
  class: 'human',
  scanned: false,
  visitor: randomUUID(),
  country: 'AE',
  referrer: 'a"b\\c.example',
  device: 'mobile',
  browser: null,
});
async function rowsOf(linkId: string) {
  const { rows } = await database.pool.query<Record<string, unknown>>('select * from click where link_id = $1', [
    linkId,
  ]);
  return rows;
}
const countOf = async (linkId: string): Promise<number> => (await rowsOf(linkId)).length;
const droppedClicks = async (): Promise<number> => (await clicksDropped.get()).values[0]?.value ?? 0;

describe('ClickBuffer', () => {
  it('writes every member of a click to the database soon after', async () => {
    const buffer = new ClickBuffer({ database, logger });
    const linkId = randomUUID();
    const click = clickOn(linkId);
    buffer.add(click);
    await expect
      .poll(() => rowsOf(linkId))
      .toEqual([
        {
          link_id: linkId,
          at: new Date(click.at),
          class: 'human',
          scanned: false,
          visitor: click.visitor,
          country: 'AE',
          referrer: 'a"b\\c.example',
          device: 'mobile',
          browser: null,
        },
      ]);
    await buffer.close();
  });

  it('writes the last clicks on close, also more than one insert takes', async () => {
    const buffer = new ClickBuffer({ database, logger });
    const linkId = randomUUID();
    for (let click = 0; click < 12_000; click++) buffer.add(clickOn(linkId));
    await buffer.close();
    expect(await countOf(linkId)).toBe(12_000);
  });

  it('keeps clicks in memory while PostgreSQL is down and writes them once afterwards', async () => {
    const proxy = await startTcpProxy(url);
    const distant = open(proxy.url);
    const buffer = new ClickBuffer({ database: distant, logger });
    const linkId = randomUUID();
    await proxy.cut();
    for (let click = 0; click < 2_000; click++) buffer.add(clickOn(linkId));
    await new Promise(resolve => setTimeout(resolve, 500));
    expect(await countOf(linkId)).toBe(0);
    await proxy.restore();
    await expect.poll(() => countOf(linkId)).toBe(2_000);
    await buffer.close();
    expect(await countOf(linkId)).toBe(2_000);
    await distant.close();
    await proxy.close();
  });

  it('drops clicks beyond its limit while PostgreSQL is down, logs their number and counts them in a metric', async () => {
    const lines: string[] = [];
    const proxy = await startTcpProxy(url);
    const distant = open(proxy.url);
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const buffer = new ClickBuffer({ database: distant, logger: log, maxClicks: 1_000 });
    const linkId = randomUUID();
    const before = await droppedClicks();
    await proxy.cut();
    for (let click = 0; click < 1_300; click++) buffer.add(clickOn(linkId));
    await expect.poll(async () => (await droppedClicks()) - before).toBe(300);
    expect(lines.join()).toContain('"clicks":300');
    await proxy.restore();
    await expect.poll(() => countOf(linkId)).toBe(1_000);
    await buffer.close();
    await distant.close();
    await proxy.close();
  });
});

it('deletes at most as many clicks as asked, the oldest first, none within the retention', async () => {
  const linkId = randomUUID();
  const age = (days: number) => ({ ...clickOn(linkId), at: Date.now() - days * 86_400_000 });
  const buffer = new ClickBuffer({ database, logger });
  for (const days of [9, 40, 41, 42]) buffer.add(age(days));
  await buffer.close();
  expect(await deleteClicks(database, 30, 2)).toBe(2);
  const ages = (await rowsOf(linkId)).map(({ at }) => Math.round((Date.now() - Number(at)) / 86_400_000));
  expect(ages.sort((one, other) => one - other)).toEqual([9, 40]);
  expect(await deleteClicks(database, 30, 2)).toBe(1);
});
