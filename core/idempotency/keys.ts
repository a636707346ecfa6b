/** Idempotency keys in PostgreSQL: one request works on a key, its answer is kept for a day, a dead claim passes on. */
import { randomUUID } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { idempotencyKeyTable as table } from './schema.ts';

export interface KeyedRequest {
  clientId: string;
  operationId: string;
  key: string;
  /** SHA-256 of what was sent. */
  fingerprint: string;
  /** The id for the job that the request starts; of a key that is known already, its first one stays. */
  jobId: string | null;
}

export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  /** Null: there was none, or it is not kept. */
  body: unknown;
}

/** What is known of a key once it was asked for. */
interface KeyClaim {
  /** By which the request settles or releases the key; undefined when another request has it. */
  claimId: string | undefined;
  /** Of the request that had the key first. */
  fingerprint: string;
  jobId: string | null;
  /** The first answer, once there is one. */
  answer: KeptAnswer | undefined;
}

export interface IdempotencyKeys {
  claim(request: KeyedRequest): Promise<KeyClaim>;
  /** Keeps the answer, unless the claim was taken over. */
  settle(request: KeyedRequest, claimId: string, answer: KeptAnswer): Promise<void>;
  /** The key stands for this job from now on, unless the claim was taken over. */
  bind(request: KeyedRequest, claimId: string, jobId: string): Promise<void>;
  /** Forgets the key, as if it had never been sent. */
  release(request: KeyedRequest, claimId: string): Promise<void>;
}

/** A process that dies holds a key no longer than this; a request takes less. */
const leaseSeconds = 90;
const keptHours = 24;

export function createIdempotencyKeys(db: NodePgDatabase): IdempotencyKeys {
  const held = ({ clientId, operationId, key }: KeyedRequest) =>
    and(eq(table.clientId, clientId), eq(table.operationId, operationId), eq(table.key, key));
  const claimedBy = (request: KeyedRequest, claimId: string) =>
    and(held(request), eq(table.claimId, claimId), isNull(table.status));

  return {
    async claim(request) {
      const expired = sql`${table.expiresAt} <= now()`;
      const abandoned = sql`(${table.status} is null and ${table.claimedUntil} <= now() and ${table.fingerprint} = excluded.fingerprint)`;
      const claimId = randomUUID();
      const [claimed] = await db
        .insert(table)
        .values({
          ...request,
          claimId,
          claimedUntil: sql`now() + ${leaseSeconds} * interval '1 second'`,
          expiresAt: sql`now() + ${keptHours} * interval '1 hour'`,
        })
        .onConflictDoUpdate({
          target: [table.clientId, table.operationId, table.key],
          set: {
            fingerprint: sql`excluded.fingerprint`,
            claimId,
            claimedUntil: sql`excluded.claimed_until`,
            jobId: sql`case when ${expired} then excluded.job_id else ${table.jobId} end`,
            status: null,
            headers: null,
            body: null,
            expiresAt: sql`excluded.expires_at`,
          },
          setWhere: sql`${expired} or ${abandoned}`,
        })
        .returning({ jobId: table.jobId });
      if (claimed)
        return { claimId, fingerprint: request.fingerprint, jobId: claimed.jobId, answer: undefined };
      const [known] = await db.select().from(table).where(held(request));
      // Released between the two statements: the next try finds it free.
      if (!known) return await this.claim(request);
      const { fingerprint, jobId, status, headers, body } = known;
      const answer = status === null ? undefined : { status, headers: headers ?? {}, body };
      return { claimId: undefined, fingerprint, jobId, answer };
    },

    async settle(request, claimId, answer) {
      await db.update(table).set(answer).where(claimedBy(request, claimId));
    },

    async bind(request, claimId, jobId) {
      await db.update(table).set({ jobId }).where(claimedBy(request, claimId));
    },

    async release(request, claimId) {
      await db.delete(table).where(claimedBy(request, claimId));
    },
  };
}
