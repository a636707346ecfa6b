/** The audit trail: one entry for each administrative action, in the action's transaction. */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Actor } from '../runtime/actor.ts';
import { auditTable } from './schema.ts';

export interface AuditEntry {
  /** The operation's id, such as `oauth.createClient`. */
  action: string;
  /** The path of the changed object, such as `/oauth/clients/42`. */
  target: string;
  /** The changed fields before and after; null without a change. Must hold no secret. */
  before: object | null;
  after: object | null;
}

export async function recordAuditEntry(
  transaction: Pick<NodePgDatabase, 'insert'>,
  by: Actor,
  entry: AuditEntry,
): Promise<void> {
  await transaction
    .insert(auditTable)
    .values({ ...entry, actorKind: by.kind, actor: by.name, requestId: by.requestId });
}
