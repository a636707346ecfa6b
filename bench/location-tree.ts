/**
 * Measures the first location sync with 12,000, 50,000 and 200,000 locations: the built API and worker as processes of their
 * own, the listing portal and the CRM simulated without limits. The sync is held, released and applied; a second one finds
 * nothing to do. Goals: at most 768 MB of the worker, and no longer than the CRM's limit of 2 requests a second makes it.
 * Before that, a merge of 50 added locations; baseline: their rows alone, inserted with their paths. Arguments: other sizes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { createCrmLocations, type MirroredLocation } from '../core/domain/crm/locations.ts';
import { cities } from '../core/integrations/listing-portal/names.ts';
import { openBuild } from './support/built-process.ts';
import { ownCpuSeconds } from './support/cpu-time.ts';
import { startLocationVendors } from './support/location-vendors.ts';
import { textOf } from './support/process-tree.ts';
import { type Measurement, medianTime, printGrowth, printSize, withBenchDatabase } from './support/sizes.ts';

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [12_000, 50_000, 200_000];
const crmRequestsPerSecond = 2;
const rowsPerMerge = 50;
const heapLimit = '--max-old-space-size=512';
const print = (line: string) => process.stdout.write(`${line}\n`);

const measured = new Map<string, Measurement[]>();
function note(what: string, measurement: Measurement, remark = ''): void {
  printSize(what, measurement, remark);
  measured.set(what, [...(measured.get(what) ?? []), measurement]);
}

/** Four levels below each city. */
const locationOf = (id: number): MirroredLocation => ({
  id,
  parentId: id <= cities.length ? null : Math.ceil(id / 8),
  type: 'community',
  name: `Place ${id}`,
  title: `Place ${id}, Dubai`,
  portalId: String(id),
  modifiedAt: new Date(),
});

await withBenchDatabase(async ({ database }) => {
  const mirror = createCrmLocations(database);
  let stored = 0;
  const next = () => Array.from({ length: rowsPerMerge }, () => locationOf(++stored));
  for (const size of sizes) {
    while (stored < size)
      await mirror.put(Array.from({ length: Math.min(20_000, size - stored) }, () => locationOf(++stored)));
    await database.execute(sql`vacuum analyze crm_location`);
    const plain = () =>
      database.execute(sql`
        insert into crm_location (id, parent_id, type, name, title, portal_id, modified_at, path)
        select given.id, given.parent_id, given.type, given.name, given.title, given.portal_id, now(),
          parent.path || given.id::text
        from jsonb_to_recordset(${JSON.stringify(next().map(({ parentId, portalId, ...row }) => ({ ...row, parent_id: parentId, portal_id: portalId })))}::jsonb)
          as given (id int, parent_id int, type text, name text, title text, portal_id text)
        join crm_location as parent on parent.id = given.parent_id`);
    const baseline = await medianTime(plain);
    const ms = await medianTime(() => mirror.put(next()));
    note('merge of 50', { size, ms }, `${(ms / baseline).toFixed(1)} times the rows alone (${baseline.toFixed(1)} ms)`);
  }
});

const Job = z.object({ id: z.string(), state: z.string(), result: z.unknown(), error: z.unknown() });
const Counts = z.object({ created: z.int(), matched: z.int(), failed: z.int(), seconds: z.number() });

async function measureSync(size: number): Promise<void> {
  const vendors = await startLocationVendors(size);
  const build = await openBuild();
  const env = {
    ...vendors.env,
    NODE_ENV: 'development',
    LOG_LEVEL: 'warn',
    BOOTSTRAP_CLIENT_ID: 'bench',
    BOOTSTRAP_CLIENT_SECRET: 'bench',
    CRM_REQUESTS_PER_SECOND: '100',
    CRM_REQUEST_BURST: '10000',
    LISTING_PORTAL_CALLS_PER_MINUTE: '1000000',
  };
  const api = await build.start(['api/main.js'], env);
  // As the pod of the synchronisations, whose limit is 768 MB.
  const worker = await build.start(['workers/main.js', 'location-sync'], { ...env, NODE_OPTIONS: heapLimit });
  try {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'bench', client_secret: 'bench' });
    const answer = await fetch(`${api.ready}/v2/oauth/token`, { method: 'POST', body });
    const { access_token } = z.object({ access_token: z.string() }).parse(await answer.json());
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const call = async (method: string, path: string) => {
      const response = await fetch(`${api.ready}/v2${path}`, {
        method,
        headers,
        ...(method === 'POST' && { body: '{}' }),
      });
      return Job.parse(await response.json());
    };
    /** The memory is the largest since the start of the worker. */
    const until = async (what: string, id: string, state: string) => {
      const [startedAt, cpu, requests] = [performance.now(), ownCpuSeconds(worker.pid), vendors.crmRequests()];
      let job = await call('GET', `/jobs/${id}`);
      for (; job.state === 'queued' || job.state === 'running' || job.state === 'scheduled'; await sleep(250))
        job = await call('GET', `/jobs/${id}`);
      if (job.state !== state) throw new Error(`${what}: ${job.state} ${JSON.stringify(job.error)}`);
      const ms = performance.now() - startedAt;
      const peak = Number(/^VmHWM:\s+(\d+)/m.exec(textOf(`/proc/${worker.pid}/status`))?.[1]) / 1_024;
      const made = vendors.crmRequests() - requests;
      const limitMs = (made / crmRequestsPerSecond) * 1_000;
      const { created, matched, failed } = Counts.parse(job.result);
      note(
        what,
        { size, ms },
        `here; worker ${peak.toFixed(0)} MB  goal 768, ${(ownCpuSeconds(worker.pid) - cpu).toFixed(1)} s CPU; ${made} requests of the CRM, ` +
          `${(ms / limitMs).toFixed(2)} of the time of their limit  goal 1.05; created ${created}, matched ${matched}, failed ${failed}`,
      );
    };
    const first = await call('POST', '/apps/crm/v1/locations/sync');
    await until('plan', first.id, 'held');
    await call('POST', `/jobs/${first.id}/release`);
    await until('apply', first.id, 'succeeded');
    const { all, twice } = vendors.crmLocations();
    print(`the CRM has ${all} of ${size} locations, ${twice} of them twice`);
    const second = await call('POST', '/apps/crm/v1/locations/sync');
    await until('second sync', second.id, 'succeeded');
  } finally {
    await worker.stop();
    await api.stop();
    await build.close();
    await vendors.close();
  }
}

for (const size of sizes) await measureSync(size);
for (const [what, times] of measured) printGrowth(what, times);
