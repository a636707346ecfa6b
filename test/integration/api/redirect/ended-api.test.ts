/** Ends an API process under load: SIGTERM loses no answered click, SIGKILL those of the last 200 ms. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { createLinks } from '../../../../core/domain/links/links.ts';
import { openLink } from '../../../support/link-clicks.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../../../support/processes.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database, url } = await useTestDatabase('ended-api');
const processes: ServiceProcess[] = [];
afterAll(() => stopProcesses(processes));

const visitors = 20;

/** Opens a new link until the process has ended. */
async function endUnderLoad(signal: NodeJS.Signals) {
  const [made] = await createLinks(database, 'http://portal.example').create([
    { kind: 'campaign', name: signal, url: 'https://example.com/', clientId: 'test' },
  ]);
  const env = { NODE_ENV: 'test', PORT: '0', DATA_DIR: temporaryFolder(), DATABASE_URL: url };
  const api = startProcess('api/main.ts', { env });
  processes.push(api);
  const origin = await api.ready;
  /** The time of the answer by a unique referrer, which identifies the click in the database. */
  const answered = new Map<string, number>();
  const clickUntilItEnds = async (): Promise<void> => {
    for (;;) {
      const referrer = `${randomUUID()}.example`;
      const answer = await openLink(`${origin}/r/${made?.link.slug}`, {
        referer: `https://${referrer}/`,
      }).catch(() => null);
      if (answer?.status !== 302) return;
      answered.set(referrer, Date.now());
    }
  };
  const counted = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ referrer: string }>('select referrer from click where link_id = $1', [
      made?.link.id,
    ]);
    return rows.map(({ referrer }) => referrer);
  };
  const clicking = Array.from({ length: visitors }, clickUntilItEnds);
  await expect.poll(async () => answered.size > 200 && (await counted()).length > 100).toBe(true);
  const endedAt = Date.now();
  api.kill(signal);
  await Promise.all([...clicking, api.ended]);
  const rows = await counted();
  const known = new Set(rows);
  return { rows, known, answered, endedAt, lost: [...answered].filter(([referrer]) => !known.has(referrer)) };
}

it('counts every answered click once when the process is stopped', async () => {
  const { rows, known, answered, lost } = await endUnderLoad('SIGTERM');
  expect(lost).toEqual([]);
  expect(rows).toHaveLength(known.size);
  // Requests in flight may be counted without having been answered.
  expect(known.size - answered.size).toBeLessThanOrEqual(visitors);
});

it('loses only clicks of the last moments when the process is killed', async () => {
  const { rows, known, endedAt, lost } = await endUnderLoad('SIGKILL');
  expect(rows).toHaveLength(known.size);
  // The documented 200 ms, and the duration of an insert on a busy machine.
  expect(lost.filter(([, at]) => at < endedAt - 2_000)).toEqual([]);
});
