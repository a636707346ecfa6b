/** The monthly partitions of clicks: made before their month, dropped after the retention. */
import { sql } from 'drizzle-orm';
import type { Db } from '../../postgres/client.ts';

/** Makes the next month's partition, unless there are clicks of it. */
export async function makeClickMonth(db: Db): Promise<void> {
  await db.execute(sql`select make_click_month(((now() + interval '1 month') at time zone 'UTC')::date)`);
}

/**
 * Drops whole months before the retention, and deletes up to `limit` older clicks of months without a partition.
 * @returns the number of clicks, of dropped months as PostgreSQL estimates it
 */
export async function dropClickMonths(db: Db, days: number, limit: number): Promise<number> {
  const before = sql`now() - ${days} * interval '1 day'`;
  const { rows } = await db.execute<{ name: string; clicks: number }>(sql`
    select relname as name, greatest(reltuples, 0)::int as clicks
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'public.link_click'::regclass and relname ~ '^click_[0-9]{4}_[0-9]{2}$'
      and to_date(relname, '"click_"YYYY_MM') + interval '1 month' <= ${before}`);
  for (const { name } of rows) await db.execute(sql`drop table if exists ${sql.identifier(name)}`);
  const { rowCount } = await db.execute(sql`
    delete from click where ctid = any(array(
      select ctid from click where at < ${before} limit ${limit} for update skip locked))`);
  return (rowCount ?? 0) + rows.reduce((sum, { clicks }) => sum + clicks, 0);
}

/** @returns the number of deleted visitors, `limit` at most */
export async function deleteVisitors(db: Db, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from click_visitor where ctid = any(array(
      select ctid from click_visitor where day < now()::date - ${days}::int
      order by day limit ${limit} for update skip locked))`);
  return rowCount ?? 0;
}
