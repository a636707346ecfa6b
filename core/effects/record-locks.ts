/** Claims in the effects ledger on records of outside systems: one process at a time holds a record, or several together. */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Database } from '../postgres/client.ts';
import type { ClaimTimes, EffectMaker } from './rows.ts';
import { effectTable } from './schema.ts';

export interface RecordGroup {
  /** Such as `lead-contacts:1203`; each once. */
  keys: readonly string[];
  /** What is done to them, such as `lead-contacts`. */
  kind: string;
  system: string;
}

export type Hold =
  /** Ours now; with how long what was sent before may still take effect. */
  | { state: 'ours'; claimId: string; mayRunForMs: number }
  /** Somebody else is at one of them. */
  | { state: 'theirs' };

export type HeldRecordRows = ReturnType<typeof createHeldRecordRows>;

export function createHeldRecordRows(database: Database, { leaseSeconds, settlingSeconds }: ClaimTimes) {
  const table = effectTable;
  const leaseEnd = sql`now() + ${leaseSeconds} * interval '1 second'`;
  const settlingMs = settlingSeconds * 1_000;
  const held = (keys: readonly string[], claimId: string) =>
    and(inArray(table.key, [...keys]), eq(table.claimId, claimId));

  return {
    settlingMs,

    /**
     * All of them or none, so that nobody waits for one while holding another. A job has one run at a time: what an
     * earlier run of the same job held is taken over at once.
     */
    async claim(group: RecordGroup, maker: EffectMaker | undefined): Promise<Hold> {
      // Whoever wants the same asks in the same order: nobody waits for each other in the database.
      const keys = [...group.keys].sort();
      const { kind, system } = group;
      const claimId = randomUUID();
      const { jobId = null, runId = null } = maker ?? {};
      const claim = { claimId, claimedUntil: leaseEnd, jobId, runId };
      return database.transaction(async tx => {
        const made = await tx
          .insert(table)
          .values(keys.map(key => ({ key, kind, system, state: 'claimed' as const, ...claim })))
          .onConflictDoNothing()
          .returning({ key: table.key });
        if (made.length === keys.length) return { state: 'ours', claimId, mayRunForMs: 0 };

        const others = await tx
          .select({
            key: table.key,
            jobId: table.jobId,
            runId: table.runId,
            leftMs: sql`extract(epoch from ${table.claimedUntil} - now()) * 1000`.mapWith(Number),
          })
          .from(table)
          .where(and(inArray(table.key, keys), ne(table.claimId, claimId)))
          .orderBy(table.key)
          .for('update');
        const isTaken = others.some(
          other => other.leftMs > 0 && (jobId === null || other.jobId !== jobId || other.runId === runId),
        );
        // One is missing: it was released just now, and is free for the next to ask.
        if (isTaken || made.length + others.length < keys.length) {
          await tx.delete(table).where(held(keys, claimId));
          return { state: 'theirs' };
        }
        await tx.update(table).set(claim).where(inArray(table.key, keys));
        // Whoever held it asks before it sends, so that nothing is sent any more from now on.
        const leftMs = Math.min(0, Math.max(...others.map(other => other.leftMs)));
        return { state: 'ours', claimId, mayRunForMs: Math.max(0, leftMs + settlingMs) };
      });
    },

    /** @returns whether all were still ours */
    async renew(keys: readonly string[], claimId: string): Promise<boolean> {
      const rows = await database
        .update(table)
        .set({ claimedUntil: leaseEnd })
        .where(held(keys, claimId))
        .returning({ key: table.key });
      return rows.length === keys.length;
    },

    /** Nothing that was sent can still take effect: as if nobody had been at them. */
    async release(keys: readonly string[], claimId: string): Promise<void> {
      await database.delete(table).where(held(keys, claimId));
    },

    /**
     * Whoever comes next need not wait for the claim's end.
     * @param mayRunForMs how long what was sent may still take effect
     */
    async leaveOpen(keys: readonly string[], claimId: string, mayRunForMs: number): Promise<void> {
      const claimedUntil = sql`now() + ${mayRunForMs - settlingMs} * interval '1 millisecond'`;
      await database.update(table).set({ claimedUntil }).where(held(keys, claimId));
    },
  };
}
