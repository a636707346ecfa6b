/** Writes clicks from the spool files of the API processes, and stores the salts for visitor hashes. */
import { randomBytes } from 'node:crypto';
import { and, eq, inArray, lt, max, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { clickTable as click, visitorSaltTable as salt, clickSpoolTable as spool } from './schema.ts';

/** A click as it is spooled: its time in ms since 1970. */
export type Click = Omit<typeof click.$inferSelect, 'at'> & { at: number };

/** Complete lines of a spool file: one JSON object per click. */
export interface SpoolPart {
  spoolId: string;
  /** Byte offsets in the spool file. */
  from: number;
  to: number;
  /** Each ends with a line break. */
  lines: string;
}

/** Byte offset up to which a spool is counted; 0 for an unknown spool. */
export async function readTo(db: NodePgDatabase, spoolId: string): Promise<number> {
  const [row] = await db.select({ readTo: spool.readTo }).from(spool).where(eq(spool.id, spoolId));
  return row?.readTo ?? 0;
}

/**
 * Counts a part of a spool exactly once, also when several processes try.
 * @returns false when the spool is not counted up to `from`, so another process has counted the part
 */
export async function countClicks(db: NodePgDatabase, part: SpoolPart): Promise<boolean> {
  return await db.transaction(async tx => {
    await tx.insert(spool).values({ id: part.spoolId, readTo: 0 }).onConflictDoNothing();
    const { rowCount } = await tx
      .update(spool)
      .set({ readTo: part.to, countedAt: sql`now()` })
      .where(and(eq(spool.id, part.spoolId), eq(spool.readTo, part.from)));
    if (rowCount !== 1) return false;
    const array = `[${part.lines.trimEnd().replaceAll('\n', ',')}]`;
    // PostgreSQL parses the lines, which keeps the event loop of the API free.
    await tx.execute(sql`
      insert into ${click} (link_id, at, class, scanned, visitor, country, referrer, device, browser)
      select "linkId", to_timestamp(at / 1000), class, scanned, visitor, country, referrer, device, browser
      from json_to_recordset(${array}::json) as read (
        "linkId" uuid, at float8, class text, scanned boolean, visitor uuid, country text, referrer text,
        device text, browser text)`);
    return true;
  });
}

/** Call after the deletion of the spool file. Also deletes rows of spools that were finished over a day ago. */
export async function finishSpool(db: NodePgDatabase, spoolId: string): Promise<void> {
  await db.update(spool).set({ isFinished: true }).where(eq(spool.id, spoolId));
  await db.delete(spool).where(and(eq(spool.isFinished, true), lt(spool.countedAt, sql`now() - interval '1 day'`)));
}

/** When any process last counted clicks. */
export async function lastCountedAt(db: NodePgDatabase): Promise<Date | null> {
  const [row] = await db.select({ at: max(spool.countedAt) }).from(spool);
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
