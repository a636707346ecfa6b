/** The balance at the SMS gateway, each time it was asked for. */
import { desc, gt, isNotNull, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { smsBalanceTable as table } from './schema.ts';

export interface SmsBalance {
  amount: number;
  /** ISO 4217 */
  currency: string;
  askedAt: Date;
}

/** Undefined when it was never read. */
export async function lastBalance(db: NodePgDatabase): Promise<SmsBalance | undefined> {
  const [row] = await db
    .select()
    .from(table)
    .where(isNotNull(table.amount))
    .orderBy(desc(table.askedAt))
    .limit(1);
  return row && row.amount !== null && row.currency !== null
    ? { amount: row.amount, currency: row.currency, askedAt: row.askedAt }
    : undefined;
}

export async function wasAskedWithin(db: NodePgDatabase, seconds: number): Promise<boolean> {
  return (await db.$count(table, gt(table.askedAt, sql`now() - ${seconds} * interval '1 second'`))) > 0;
}

/** @param read undefined: it could not be read */
export async function keepBalance(
  db: NodePgDatabase,
  read: { amount: number; currency: string } | undefined,
): Promise<void> {
  await db.insert(table).values({ amount: read?.amount, currency: read?.currency });
}
