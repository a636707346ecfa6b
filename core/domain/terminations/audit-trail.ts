/** The audit trail of terminations: an entry before an account is laid hands on, another when it was read again. */
import { and, eq, sql } from 'drizzle-orm';
import { recordAct } from '../../postgres/audit.ts';
import type { Database } from '../../postgres/client.ts';
import { auditTable } from '../../postgres/schema/audit.ts';

export interface TerminationEntry {
  /** `begun`: about to be cut off; `ended`: read again, and cut off. */
  stage: 'begun' | 'ended';
  jobId: string;
  /** Who asked. */
  clientId: string;
  system: string;
  accountId: string;
  crmId: number | null;
  reason: string;
  /** How the account stood before anything was done to it. */
  before: object | null;
  /** How it stands now; left out as long as that is not known. */
  after?: object | null;
}

const action = 'crm.terminateUser';

/** Once for each job, account and stage, however often the job is run; a job has one run at a time. */
export const recordTermination = (database: Database, entry: TerminationEntry): Promise<void> =>
  database.transaction(async transaction => {
    const { stage, jobId, clientId, system, accountId, crmId, reason, before, after } = entry;
    const target = `/${system}/users/${accountId}`;
    const isSame = and(
      eq(auditTable.target, target),
      eq(auditTable.action, action),
      sql`${auditTable.after}->>'jobId' = ${jobId} and ${auditTable.after}->>'stage' = ${stage}`,
    );
    const [there] = await transaction.select({ id: auditTable.id }).from(auditTable).where(isSame).limit(1);
    if (there) return;
    await recordAct(
      transaction,
      { kind: 'client', name: clientId },
      {
        action,
        target,
        before,
        after: { stage, jobId, crmId, reason, ...(after !== undefined && { account: after }) },
      },
    );
  });
