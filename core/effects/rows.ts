/** The rows of the effects ledger: claims that one process at a time holds, and what came of them. */
import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../postgres/client.ts';
import { effectTable } from './schema.ts';

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
  /** Ours now; with how long what an earlier try sent may still take effect, if there was one. */
  | { state: 'ours'; claimId: string; earlier: { mayRunForMs: number } | undefined }
  /** Somebody else is at it. */
  | { state: 'theirs' }
  | { state: 'settled'; result: unknown }
  | { state: 'unknown' };

export type EffectRows = ReturnType<typeof createEffectRows>;

export interface ClaimTimes {
  /** How long a claim lasts that nobody renews. */
  leaseSeconds: number;
  /** How long after the end of a claim what was sent under it may still take effect. */
  settlingSeconds: number;
}

export function createEffectRows(database: Database, { leaseSeconds, settlingSeconds }: ClaimTimes) {
  const table = effectTable;
  const leaseEnd = sql`now() + ${leaseSeconds} * interval '1 second'`;
  const settlingMs = settlingSeconds * 1_000;
  const held = (key: string, claimId: string) => and(eq(table.key, key), eq(table.claimId, claimId));

  return {
    /**
     * A job has one run at a time: the claim that an earlier run of the same job left is taken over at once, though
     * what that run sent may still take effect.
     */
    async claim({ key, kind, system }: Effect, maker: EffectMaker | undefined): Promise<Claim> {
      const claimId = randomUUID();
      const { jobId = null, runId = null } = maker ?? {};
      const claim = { claimId, claimedUntil: leaseEnd, jobId, runId };
      const made = await database
        .insert(table)
        .values({ key, kind, system, state: 'claimed', ...claim })
        .onConflictDoNothing()
        .returning({ key: table.key });
      if (made.length > 0) return { state: 'ours', claimId, earlier: undefined };

      return database.transaction(async tx => {
        const [row] = await tx
          .select({
            state: table.state,
            result: table.result,
            jobId: table.jobId,
            runId: table.runId,
            leftMs: sql`extract(epoch from ${table.claimedUntil} - now()) * 1000`.mapWith(Number),
          })
          .from(table)
          .where(eq(table.key, key))
          .for('update');
        if (row?.state === 'settled') return { state: 'settled', result: row.result };
        if (row?.state === 'unknown') return { state: 'unknown' };
        const isOfThisJob = row !== undefined && row.jobId === jobId && row.jobId !== null;
        // No row: it was released just now, and is free for the next to ask.
        if (!row || (row.leftMs > 0 && !(isOfThisJob && row.runId !== runId))) return { state: 'theirs' };
        await tx.update(table).set(claim).where(eq(table.key, key));
        return { state: 'ours', claimId, earlier: { mayRunForMs: Math.max(0, row.leftMs + settlingMs) } };
      });
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

    /**
     * It may have happened: whoever comes next looks first, without waiting for the claim's end.
     * @param mayRunForMs how long it may still come to happen
     */
    async leaveOpen(key: string, claimId: string, mayRunForMs = settlingMs): Promise<void> {
      const claimedUntil = sql`now() + ${mayRunForMs - settlingMs} * interval '1 millisecond'`;
      await database.update(table).set({ claimedUntil }).where(held(key, claimId));
    },

    /** It may have happened, and nobody can find out: it is never tried again. */
    async giveUp(key: string, claimId: string): Promise<void> {
      await database.update(table).set({ state: 'unknown' }).where(held(key, claimId));
    },
  };
}
