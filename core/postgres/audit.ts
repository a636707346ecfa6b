/** Writes the audit trail: one entry for each administrative act, in the same transaction as the act. */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Actor } from '../runtime/actor.ts';
import { auditTable } from './schema.ts';

export interface Act {
  /** The operation's id, such as `oauth.createClient`. */
  action: string;
  /** The path of what it was done to, such as `/oauth/clients/42`. */
  target: string;
  /** What changed, as it was and as it is; null where there is none. Never a secret. */
  before: object | null;
  after: object | null;
}

export async function recordAct(
  transaction: Pick<NodePgDatabase, 'insert'>,
  by: Actor,
  act: Act,
): Promise<void> {
  await transaction
    .insert(auditTable)
    .values({ ...act, actorKind: by.kind, actor: by.name, requestId: by.requestId });
}
