/** Writes the audit trail: one entry for each administrative act, in the same transaction as the act. */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { auditTable } from './schema/audit.ts';

/** Who acts: a client of the API, a person at the command line, or the service as it starts. */
export interface Actor {
  kind: 'client' | 'command' | 'start';
  /** The client's id, or the name of the operating system's user. */
  name: string;
  /** The request's id, as in the log and in `X-Request-Id`. */
  requestId?: string;
}

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
