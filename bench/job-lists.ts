/**
 * Measures a page of 50 jobs with each filter, at 25,000, 100,000 and 400,000 jobs; the worst cases: what the filter asks
 * for is only among the oldest jobs. Goal: at most 20 ms at 10 million. Prints also the blocks that PostgreSQL reads, which
 * do not depend on other load: a filter without an index reads a share of the table. Arguments: other sizes.
 */
import { sql } from 'drizzle-orm';
import type { JobFilter } from '../core/jobs/record.ts';
import { failureGroups } from '../core/jobs/repository/failures.ts';
import { createJobRecords } from '../core/jobs/repository/repository.ts';
import { type Measurement, medianTime, printGrowth, printSize, withBenchDatabase } from './support/sizes.ts';

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [25_000, 100_000, 400_000];
const target = { size: 10_000_000, goalMs: 20 };

const cause = { problem: 'rare-problem', system: 'crm', operation: 'POST /leads' };
const filters: Record<string, Partial<JobFilter>> = {
  none: {},
  client: { clientId: 'client-3' },
  'client without jobs': { clientId: 'client-99' },
  kind: { kind: 'kind-3' },
  state: { state: 'failed' },
  'kind, state': { kind: 'kind-3', state: 'cancelled' },
  'client, kind': { clientId: 'client-3', kind: 'rare' },
  'client, state': { clientId: 'client-3', state: 'cancelled' },
  'client, kind, state': { clientId: 'client-3', kind: 'kind-3', state: 'cancelled' },
  'rare cause of failures': { kind: 'kind-3', cause },
  'middle of the list': { after: { createdAt: new Date(Date.now() - 45 * 86_400_000), id: 'x' } },
};

await withBenchDatabase(
  async ({ database }) => {
    const records = createJobRecords(database, { resultRetentionHours: 1, insertCallback: async () => undefined });
    await database.execute(sql`alter table job disable trigger user`);
    const measured = new Map<string, Measurement[]>();
    /** The blocks of the table and its indexes that were read so far. */
    const blocksRead = async (): Promise<number> => {
      await database.execute(sql`select pg_stat_force_next_flush()`);
      const { rows } = await database.execute<{ blocks: string }>(sql`
      select heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit as blocks
      from pg_statio_user_tables where relname = 'job'`);
      return Number(rows[0]?.blocks);
    };
    let stored = 0;
    for (const size of sizes) {
      // 90 days, 12 kinds, 20 clients; every 50th failed, every 200th of the oldest was cancelled.
      await database.execute(sql`
      insert into job (id, kind, client_id, state, payload, attempts_max, error, created_at, queued_at, started_at, finished_at)
      select 'kind-' || n % 11 || '_' || gen_random_uuid(),
        case when n % 997 = 0 and age > 0.99 then 'rare' else 'kind-' || n % 11 end, 'client-' || n % 20,
        case when n % 50 = 0 then 'failed' when n % 200 = 1 and age > 0.9 then 'cancelled' else 'succeeded' end, '{}', 3,
        case when n % 50 = 0 then jsonb_build_object('type', 'urn:' || case when age > 0.99 then 'rare-problem' else 'usual' end,
          'upstream', jsonb_build_object('system', 'crm', 'operation', 'POST /leads')) end,
        at, at, at, at + interval '5 seconds'
      from (select n, random() as age from generate_series(${stored + 1}::int, ${size}::int) as n) as aged,
        lateral (select now() - age * interval '90 days' as at) as time`);
      stored = size;
      await database.execute(sql`vacuum analyze job`);
      for (const [name, filter] of Object.entries(filters)) {
        const ms = await medianTime(() => records.list({ clientId: null, limit: 51, ...filter }));
        const before = await blocksRead();
        await records.list({ clientId: null, limit: 51, ...filter });
        printSize(name, { size, ms }, `${(await blocksRead()) - before} blocks`);
        measured.set(name, [...(measured.get(name) ?? []), { size, ms }]);
      }
      // Its time depends on the jobs of the last week: one in thirteen.
      const week = new Date(Date.now() - 7 * 86_400_000);
      const ms = await medianTime(() => failureGroups(database, week, 50));
      printSize('page of failures, a week', { size, ms }, 'goal 100 ms');
    }
    for (const [name, times] of measured) printGrowth(name, times, target);
  },
  { poolSize: 1 },
);
