/** Terminates a person in one system: looked up, kept, cut off once, read again, entered into the audit trail. */

import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { accountsOf, type SystemAccounts } from '../../core/domain/terminations/accounts.ts';
import { type FoundAccount, findAccount } from '../../core/domain/terminations/find-account.ts';
import type { Person } from '../../core/domain/terminations/person.ts';
import {
  AccountState,
  type SystemTermination,
  TerminationSystem,
} from '../../core/domain/terminations/termination.ts';
import { sameEmailWarnings } from '../../core/domain/terminations/warnings.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { Checkpoint, JobContext } from '../../core/jobs/handler.ts';
import { recordAuditEntry } from '../../core/postgres/audit.ts';
import type { Database } from '../../core/postgres/client.ts';
import { auditTable } from '../../core/postgres/schema.ts';
import type { WorkerServices } from '../services.ts';

export interface Order {
  person: Person;
  reason: string;
  /** Patterns of those whom nobody may terminate. */
  protectedEmails: readonly string[];
  findings: Findings;
  context: JobContext;
}

const Ended = z.object({ after: AccountState.nullable(), verifiedAt: z.iso.datetime() });
type Ended = z.infer<typeof Ended>;

/** @throws ServiceError conflict, forbidden, not-found; UpstreamError when the system is down or does not comply */
export async function terminateIn(
  services: WorkerServices,
  system: TerminationSystem,
  order: Order,
): Promise<SystemTermination> {
  const accounts = accountsOf(system, services.systems);
  const found = order.findings.of(system) ?? (await findFirst(accounts, system, order));
  for (const warning of sameEmailWarnings(accounts.title, found)) order.context.warn(warning);
  const { id, matchedBy, state: before, isCutOff } = found;
  const told = { system, user: { crmId: order.person.crmId, id, matchedBy }, before };
  const asFound = { after: before, verifiedAt: new Date().toISOString() };
  if (id === null) return { ...told, outcome: 'absent', ...asFound };

  const entry = entryOf(system, id, found, order);
  const ended = isCutOff ? asFound : await cutOffOnce(services, accounts, entry);
  await recordTermination(services.database, { ...entry, stage: 'ended', after: ended.after });
  return { ...told, outcome: isCutOff ? 'already-terminated' : 'terminated', ...ended };
}

/** What needs no doing is not kept: it is looked up afresh should the job come again. */
async function findFirst(
  accounts: SystemAccounts,
  system: TerminationSystem,
  { person, protectedEmails, findings }: Order,
): Promise<FoundAccount> {
  const found = await findAccount(accounts, person, protectedEmails);
  if (!found.isCutOff) await findings.keep(system, found);
  return found;
}

/** A later job does it anew, since people come back: what is done once is done once a job. */
async function cutOffOnce(
  { effects, database }: WorkerServices,
  accounts: SystemAccounts,
  entry: TerminationEntry,
): Promise<Ended> {
  const { system, accountId, jobId } = entry;
  const readCutOff = async (): Promise<Ended | undefined> => {
    const { state, isCutOff } = await accounts.read(accountId);
    return isCutOff ? { after: state, verifiedAt: new Date().toISOString() } : undefined;
  };
  const { result } = await effects.once({
    key: `termination:${jobId}:${system}`,
    kind: 'user-terminated',
    system,
    result: Ended,
    find: readCutOff,
    execute: async () => {
      await recordTermination(database, entry);
      await accounts.revokeAccess(accountId);
      const ended = await readCutOff();
      if (!ended) throw notCutOff(accounts, entry);
      return ended;
    },
  });
  return result;
}

const entryOf = (
  system: TerminationSystem,
  accountId: string,
  found: FoundAccount,
  { person, reason, context }: Order,
): TerminationEntry => ({
  stage: 'begun',
  jobId: context.jobId,
  clientId: context.clientId,
  system,
  accountId,
  crmId: person.crmId,
  reason,
  before: found.state,
});

/** Systems may take a while to show what they were told, so this may pass. */
const notCutOff = ({ title }: SystemAccounts, { system, accountId }: TerminationEntry): UpstreamError =>
  new UpstreamError(
    'upstream-failed',
    `User ${accountId} was terminated in ${title}, but when read again can still get in. Look at the user there.`,
    { system, transient: true, maybeExecuted: true },
  );

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
    await recordAuditEntry(
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

const Findings = z.partialRecord(
  TerminationSystem,
  z.object({
    id: z.string().nullable(),
    matchedBy: z.enum(['crmId', 'email']).nullable(),
    alike: z.array(z.string()),
    state: AccountState.nullable(),
    isCutOff: z.boolean(),
  }) satisfies z.ZodType<FoundAccount>,
);

export interface Findings {
  of(system: TerminationSystem): FoundAccount | undefined;
  /** Once this returns the finding is kept. */
  keep(system: TerminationSystem, finding: FoundAccount): Promise<void>;
}

export async function openFindings(checkpoint: Checkpoint): Promise<Findings> {
  let found = Findings.parse((await checkpoint.read()) ?? {});
  let writing: Promise<void> = Promise.resolve();
  return {
    of: system => found[system],
    keep(system, finding) {
      found = { ...found, [system]: finding };
      // In line, because the systems are worked on side by side and each write holds them all.
      writing = writing.then(() => checkpoint.write(found));
      return writing;
    },
  };
}
