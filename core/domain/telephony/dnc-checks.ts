/** Remembers what the do-not-call registry said. */
import { and, desc, gt, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../postgres/client.ts';
import { dncCheckTable as table } from './schema.ts';

export type DncCheck = Omit<typeof table.$inferSelect, 'clientId'>;

export function createDncChecks(database: Database) {
  return {
    /** The newest check of each number that is not older than so many hours. */
    async recent(numbers: readonly string[], hours: number): Promise<Map<string, DncCheck>> {
      if (numbers.length === 0) return new Map();
      const rows = await database
        .selectDistinctOn([table.e164], {
          e164: table.e164,
          checkedAt: table.checkedAt,
          status: table.status,
          source: table.source,
        })
        .from(table)
        .where(
          and(
            inArray(table.e164, [...numbers]),
            gt(table.checkedAt, sql`now() - ${hours} * interval '1 hour'`),
          ),
        )
        .orderBy(table.e164, desc(table.checkedAt));
      return new Map(rows.map(row => [row.e164, row]));
    },

    async add(checks: readonly DncCheck[], clientId: string): Promise<void> {
      if (checks.length === 0) return;
      await database
        .insert(table)
        .values(checks.map(check => ({ ...check, clientId })))
        .onConflictDoNothing();
    },
  };
}
