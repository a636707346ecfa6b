/** The rows of the effects ledger: claims that one process at a time holds, and what came of them. */
import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from './client.ts';
import { effectTable } from './schema/effects.ts';

export interface Effect {
  key: string;
  /** What sort of effect it is, such as `lead-created`. */
  kind: string;
  system: string;
}

/** The run of a job that makes it happen. */
export interface EffectMaker {
  jobId: string;
  runId: string;
}

export type Claim =
  /** Ours now; `first`: nobody has tried before. */
  | { state: 'ours'; claimId: string; first: boolean }
  /** Somebody else is at it. */
  | { state: 'theirs' }
  | { state: 'settled'; result: unknown }
  | { state: 'unknown' };

export type EffectRows = ReturnType<typeof createEffectRows>;

export function createEffectRows(database: Database, leaseSeconds: number) {
  const table = effectTable;
  const leaseEnd = sql`now() + ${leaseSeconds} * interval '1 second'`;
  const held = (key: string, claimId: string) => and(eq(table.key, key), eq(table.claimId, claimId));

  return {
    /** A job has one run at a time: what an earlier run of the same job left claimed needs no waiting for. */
    async claim({ key, kind, system }: Effect, maker: EffectMaker | undefined): Promise<Claim> {
      const claimId = randomUUID();
      const { jobId = null, runId = null } = maker ?? {};
      const [row] = await database
        .insert(table)
        .values({ key, kind, system, state: 'claimed', claimId, claimedUntil: leaseEnd, jobId, runId })
        .onConflictDoUpdate({
          target: table.key,
          set: { claimId, claimedUntil: leaseEnd, jobId, runId },
          setWhere: sql`${table.state} = 'claimed' and (${table.claimedUntil} <= now()
            or (${table.jobId} = ${jobId}::text and ${table.runId} <> ${runId}::uuid))`,
        })
        .returning({ first: sql<boolean>`xmax = 0` });
      if (row) return { state: 'ours', claimId, first: row.first };
      const [other] = await database.select().from(table).where(eq(table.key, key));
      if (other?.state === 'settled') return { state: 'settled', result: other.result };
      return { state: other?.state === 'unknown' ? 'unknown' : 'theirs' };
    },

    /** @returns whether the claim was still ours */
    async renew(key: string, claimId: string): Promise<boolean> {
      const rows = await database
        .update(table)
        .set({ claimedUntil: leaseEnd })
        .where(held(key, claimId))
        .returning({ key: table.key });
      return rows.length > 0;
    },

    async settle(key: string, claimId: string, result: unknown): Promise<void> {
      await database
        .update(table)
        .set({ state: 'settled', result, settledAt: sql`now()` })
        .where(held(key, claimId));
    },

    /** It surely did not happen: as if nobody had tried. */
    async release(key: string, claimId: string): Promise<void> {
      await database.delete(table).where(held(key, claimId));
    },

    /** It may have happened: whoever comes next looks first, without waiting for the claim's end. */
    async leaveOpen(key: string, claimId: string): Promise<void> {
      await database.update(table).set({ claimedUntil: sql`now()` }).where(held(key, claimId));
    },

    /** It may have happened, and nobody can find out: it is never tried again. */
    async giveUp(key: string, claimId: string): Promise<void> {
      await database.update(table).set({ state: 'unknown' }).where(held(key, claimId));
    },
  };
}
