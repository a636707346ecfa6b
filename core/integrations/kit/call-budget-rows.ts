/** Keeps the leaky buckets of outside systems in PostgreSQL, by its one clock. */
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../../postgres/client.ts';

const Taken = z.object({ granted: z.boolean(), wait_ms: z.coerce.number() });

export function createCallBudgets(database: Database) {
  return {
    /** Takes one call if the bucket then holds at most `limit`; else tells how long until it may, in ms. */
    async take(
      budget: { name: string; perSecond: number },
      limit: number,
    ): Promise<{ waitMs: number } | undefined> {
      await putRow(database, budget.name);
      const { rows } = await database.execute(sql`
        with bucket as (
          select level, at, blocked_until from call_budget where name = ${budget.name} for update
        ), drained as (
          select greatest(at, clock_timestamp()) as now,
            greatest(0, level - ${budget.perSecond}::float8
              * greatest(0, extract(epoch from clock_timestamp() - at))) as level,
            greatest(0, extract(epoch from blocked_until - clock_timestamp())) as blocked
          from bucket
        ), decided as (
          select *, coalesce(blocked, 0) = 0 and level + 1 <= ${limit}::float8 as granted from drained
        ), written as (
          update call_budget set level = decided.level + 1, at = decided.now
          from decided where name = ${budget.name} and granted
        )
        select granted, 1000 * greatest(
          coalesce(blocked, 0), (level + 1 - ${limit}::float8) / ${budget.perSecond}::float8) as wait_ms
        from decided`);
      const [row] = rows;
      if (!row) {
        // Maintenance deletes the rows of buckets that were not used for long.
        known.get(database)?.delete(budget.name);
        return await this.take(budget, limit);
      }
      const { granted, wait_ms } = Taken.parse(row);
      return granted ? undefined : { waitMs: wait_ms };
    },

    /** A longer silence that was asked for already stays. */
    async block(name: string, ms: number): Promise<void> {
      await putRow(database, name);
      await database.execute(sql`
        update call_budget
        set blocked_until = greatest(blocked_until, clock_timestamp() + ${ms} * interval '1 millisecond')
        where name = ${name}`);
    },
  };
}

const known = new WeakMap<Database, Set<string>>();

/** Once per process and bucket. */
async function putRow(database: Database, name: string): Promise<void> {
  const names = known.get(database) ?? new Set();
  known.set(database, names);
  if (names.has(name)) return;
  await database.execute(sql`insert into call_budget (name) values (${name}) on conflict do nothing`);
  names.add(name);
}
