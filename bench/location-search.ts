/**
 * Measures location searches in 100,000 locations: whole names, prefixes, misspellings, Arabic, names across the path.
 * Goal: median below 20 ms. Baselines: a primary key lookup and a scan of all names (`ilike '%…%'`).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createPortalLocationSearch } from '../core/domain/locations/portal-location-search.ts';
import { createPortalLocations } from '../core/domain/locations/portal-locations.ts';
import { openDatabase } from '../core/postgres/client.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../core/postgres/migrate.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { generateLocations } from './support/locations.ts';
import { median } from './support/measure.ts';
import { figure } from './support/results.ts';

const size = 100_000;
const rounds = 40;

const searches: Record<string, string[]> = {
  'whole name': ['Dubai Marina', 'Palm Residences 12', 'Al Noor Heights', 'Marina Gate 7'],
  prefix: ['dub', 'al', 'mar', 'palm res', 'bu'],
  misspelled: ['dubia marnia', 'jumeria', 'residanses', 'al nor hights', 'busines bai'],
  arabic: ['دبي مارينا', 'النور', 'برج'],
  'across the path': ['palm tower sharjah', 'heights dubai marina', 'gate 7 dubai'],
  'no match': ['qqzzxx', 'zzkkww vvttqq'],
};

const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
const logger = createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' });
const postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
const database = openDatabase({ url: postgres.url, poolSize: 4, logger, applicationName: 'bench' });

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

try {
  await migrateDatabase({ url: postgres.url, logger });
  const filling = await msOf(() =>
    createPortalLocations(database).change(
      { put: generateLocations(size), gone: [] },
      { city: undefined, read: size, asOf: new Date() },
    ),
  );
  process.stdout.write(`${size} locations, filled in ${(filling / 1_000).toFixed(1)} s\n`);
  const { search } = createPortalLocationSearch(database);
  const byKey = () => database.pool.query('select * from portal_location where id = 4711');
  const byScan = (text: string) =>
    database.pool.query('select id from portal_location where name ilike $1 limit 10', [`%${text}%`]);

  const all: number[] = [];
  for (const [kind, texts] of Object.entries(searches)) {
    const times: Record<'search' | 'key' | 'scan', number[]> = { search: [], key: [], scan: [] };
    for (let round = -2; round < rounds; round++) {
      for (const text of texts) {
        const found = await msOf(() => search({ text, limit: 10 }));
        const key = await msOf(byKey);
        const scan = await msOf(() => byScan(text));
        if (round < 0) continue;
        times.search.push(found);
        times.key.push(key);
        times.scan.push(scan);
      }
    }
    all.push(...times.search);
    const [found, key, scan] = [median(times.search), median(times.key), median(times.scan)];
    process.stdout.write(`${kind}: primary key ${key.toFixed(2)} ms, scan of all names ${scan.toFixed(1)} ms\n`);
    figure(`${kind}, of a scan of all names`, found, 'ms', { baseline: scan });
  }
  figure('all searches', median(all), 'ms', { goal: 'under 20' });
} finally {
  await database.close();
  await postgres.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
