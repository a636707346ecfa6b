/** Clicks as they are written, from the journals of the API processes, and the secrets that visitors are made of. */
import { randomBytes } from 'node:crypto';
import { and, eq, inArray, lt, max, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { clickTable as click, clickJournalTable as journal, visitorSaltTable as salt } from './schema.ts';

/** Lines of a journal: JSON objects, one a click. */
export interface JournalPart {
  journalId: string;
  /** Where in the journal the part begins and ends, in bytes. */
  from: number;
  to: number;
  /** With a line break after each. */
  lines: string;
}

/** How far a journal has been counted, in bytes; 0 for one that nobody has begun. */
export async function readTo(db: NodePgDatabase, journalId: string): Promise<number> {
  const [row] = await db.select({ readTo: journal.readTo }).from(journal).where(eq(journal.id, journalId));
  return row?.readTo ?? 0;
}

/**
 * Counts a part of a journal, once however often and by whomever it is tried.
 * @returns whether this call did it; false when another did, or when `from` is not how far the journal was counted
 */
export async function countClicks(db: NodePgDatabase, part: JournalPart): Promise<boolean> {
  return await db.transaction(async tx => {
    await tx.insert(journal).values({ id: part.journalId, readTo: 0 }).onConflictDoNothing();
    const { rowCount } = await tx
      .update(journal)
      .set({ readTo: part.to, countedAt: sql`now()` })
      .where(and(eq(journal.id, part.journalId), eq(journal.readTo, part.from)));
    if (rowCount !== 1) return false;
    const array = `[${part.lines.trimEnd().replaceAll('\n', ',')}]`;
    // PostgreSQL takes the lines apart: the API process has its requests to answer.
    await tx.execute(sql`
      insert into ${click} (link_id, at, class, scanned, visitor, country, referrer, device, browser)
      select "linkId", to_timestamp(at / 1000), class, scanned, visitor, country, referrer, device, browser
      from json_to_recordset(${array}::json) as read (
        "linkId" uuid, at float8, class text, scanned boolean, visitor uuid, country text, referrer text,
        device text, browser text)`);
    return true;
  });
}

/** The journal's file is gone. */
export async function finishJournal(db: NodePgDatabase, journalId: string): Promise<void> {
  await db.update(journal).set({ isFinished: true }).where(eq(journal.id, journalId));
  await db
    .delete(journal)
    .where(and(eq(journal.isFinished, true), lt(journal.countedAt, sql`now() - interval '1 day'`)));
}

/** When clicks were last counted, by any process. */
export async function lastCountedAt(db: NodePgDatabase): Promise<Date | null> {
  const [row] = await db.select({ at: max(journal.countedAt) }).from(journal);
  return row?.at ?? null;
}

/**
 * The salts of some days, the same for all processes; those of days before `keptFrom` are deleted, so that a visitor
 * of then can be found out by nobody.
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
