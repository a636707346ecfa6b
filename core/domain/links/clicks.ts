/** Stores and deletes clicks, and stores the salts for visitor hashes. */
import { randomBytes } from 'node:crypto';
import { inArray, lt, max, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { clickTable as click, visitorSaltTable as salt } from './schema.ts';

/** `at` in ms since 1970. */
export type Click = Omit<typeof click.$inferSelect, 'at'> & { at: number };

/** One statement with one parameter: PostgreSQL parses the rows, which keeps the event loop of the API free. */
export async function insertClicks(db: NodePgDatabase, clicks: readonly Click[]): Promise<void> {
  await db.execute(sql`
    insert into ${click} (link_id, at, class, scanned, visitor, country, referrer, device, browser)
    select "linkId", to_timestamp(at / 1000), class, scanned, visitor, country, referrer, device, browser
    from json_to_recordset(${JSON.stringify(clicks)}::json) as read (
      "linkId" uuid, at float8, class text, scanned boolean, visitor uuid, country text, referrer text,
      device text, browser text)`);
}

/** Deletes clicks older than `days`. @returns their number, at most `limit` */
export async function deleteClicks(db: NodePgDatabase, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from ${click} where ctid = any(array(
      select ctid from ${click} where ${click.at} < now() - ${days} * interval '1 day'
      order by ${click.at} limit ${limit} for update skip locked))`);
  return rowCount ?? 0;
}

/** Time of the newest stored click. */
export async function lastClickAt(db: NodePgDatabase): Promise<Date | null> {
  const [row] = await db.select({ at: max(click.at) }).from(click);
  return row?.at ?? null;
}

/**
 * Returns the salts of the days, the same for all processes; creates missing ones. Deletes the salts of days before
 * `keptFrom`, so that visitors of those days can no longer be identified.
 * @param days as 2026-01-31, in UTC
 */
export async function visitorSalts(
  db: NodePgDatabase,
  days: readonly string[],
  keptFrom: string,
): Promise<Map<string, string>> {
  await db.delete(salt).where(lt(salt.day, keptFrom));
  await db
    .insert(salt)
    .values(days.map(day => ({ day, salt: randomBytes(32).toString('base64') })))
    .onConflictDoNothing();
  const rows = await db
    .select()
    .from(salt)
    .where(inArray(salt.day, [...days]));
  return new Map(rows.map(row => [row.day, row.salt]));
}
