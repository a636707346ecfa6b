/**
 * Idempotency keys in PostgreSQL: one request at a time holds a lease on a key, its response is stored for a day, and the
 * lease of a process that died expires.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { idempotencyKeyTable as table } from './schema.ts';

type Row = typeof table.$inferSelect;

/** `jobId`: for the job that the request starts; a known key retains its first one. */
export type KeyedRequest = Pick<Row, 'clientId' | 'operationId' | 'key' | 'fingerprint' | 'jobId'>;

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  /** Null: no body, or not stored. */
  body: unknown;
}

type KeyState = Pick<KeyedRequest, 'fingerprint' | 'jobId'> & {
  /** Id of the request's lease; undefined when another request holds the key. */
  claimId: string | undefined;
  /** The first response, once there is one. */
  answer: StoredResponse | undefined;
};

/** Renewed while the request runs, so that the key of a process that died is free soon. */
const leaseSeconds = 15;
const leaseEnd = sql`now() + ${leaseSeconds} * interval '1 second'`;
const storedHours = 24;

export function createIdempotencyKeys(db: NodePgDatabase) {
  return {
    claim: (request: KeyedRequest): Promise<KeyState> => claim(db, request),

    async renew(request: KeyedRequest, claimId: string): Promise<void> {
      await db.update(table).set({ claimedUntil: leaseEnd }).where(ownKey(request, claimId));
    },

    /** Stores the response, unless another request has taken the lease over. */
    async settle(request: KeyedRequest, claimId: string, response: StoredResponse): Promise<void> {
      await db.update(table).set(response).where(ownKey(request, claimId));
    },

    /** Assigns the job to the key, unless another request has taken the lease over. */
    async bind(request: KeyedRequest, claimId: string, jobId: string): Promise<void> {
      await db.update(table).set({ jobId }).where(ownKey(request, claimId));
    },

    /** Deletes the key, as if it had never been sent. */
    async release(request: KeyedRequest, claimId: string): Promise<void> {
      await db.delete(table).where(ownKey(request, claimId));
    },
  };
}

const sameKey = ({ clientId, operationId, key }: KeyedRequest) =>
  and(eq(table.clientId, clientId), eq(table.operationId, operationId), eq(table.key, key));

const ownKey = (request: KeyedRequest, claimId: string) =>
  and(sameKey(request), eq(table.claimId, claimId), isNull(table.status));

async function claim(db: NodePgDatabase, request: KeyedRequest): Promise<KeyState> {
  const expired = sql`${table.expiresAt} <= now()`;
  const abandoned = sql`(${table.status} is null and ${table.claimedUntil} <= now() and ${table.fingerprint} = excluded.fingerprint)`;
  const claimId = randomUUID();
  const [claimed] = await db
    .insert(table)
    .values({
      ...request,
      claimId,
      claimedUntil: leaseEnd,
      expiresAt: sql`now() + ${storedHours} * interval '1 hour'`,
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
  if (claimed) return { claimId, fingerprint: request.fingerprint, jobId: claimed.jobId, answer: undefined };
  const [known] = await db.select().from(table).where(sameKey(request));
  // It was released between the two statements; the next attempt can insert it.
  if (!known) return await claim(db, request);
  const { fingerprint, jobId, status, headers, body } = known;
  const answer = status === null ? undefined : { status, headers: headers ?? {}, body };
  return { claimId: undefined, fingerprint, jobId, answer };
}
