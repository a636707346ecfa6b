/** Terminates a person in one system: finds the account, revokes access once, reads it again, and writes the audit trail. */
import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { accountsOf, type SystemAccounts } from '../../core/domain/terminations/accounts.ts';
import { type FoundAccount, findAccount, sameEmailWarnings } from '../../core/domain/terminations/find-account.ts';
import type { Person } from '../../core/domain/terminations/person.ts';
import { AccountState, type SystemTermination, TerminationSystem } from '../../core/domain/terminations/termination.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { Checkpoint, JobContext } from '../../core/jobs/handler.ts';
import { recordAuditEntry } from '../../core/postgres/audit.ts';
import type { Database } from '../../core/postgres/client.ts';
import { auditTable } from '../../core/postgres/schema.ts';
import type { WorkerServices } from '../services.ts';

export interface TerminationOrder {
  person: Person;
  reason: string;
  dryRun: boolean;
  /** Patterns of accounts that must not be terminated. */
  protectedEmails: readonly string[];
  found: FoundAccounts;
  context: JobContext;
}

const FoundAccounts = z.partialRecord(
  TerminationSystem,
  z.object({
    id: z.string().nullable(),
    matchedBy: z.enum(['crmId', 'email']).nullable(),
    alike: z.array(z.string()),
    state: AccountState.nullable(),
    isCutOff: z.boolean(),
  }) satisfies z.ZodType<FoundAccount>,
);
type FoundAccounts = Awaited<ReturnType<typeof openFoundAccounts>>;

/**
 * The checkpoint of a job: the accounts to terminate with their states before. Later runs need it, because those states
 * can no longer be read once the accounts have changed.
 */
export async function openFoundAccounts(checkpoint: Checkpoint) {
  let accounts = FoundAccounts.parse((await checkpoint.read()) ?? {});
  let writing: Promise<void> = Promise.resolve();
  return {
    of: (system: TerminationSystem): FoundAccount | undefined => accounts[system],

    /** Resolves once the account is stored. */
    store(system: TerminationSystem, account: FoundAccount): Promise<void> {
      accounts = { ...accounts, [system]: account };
      // One write after the other, because the systems run concurrently and each write contains all accounts.
      writing = writing.then(() => checkpoint.write(accounts));
      return writing;
    },
  };
}

const Ended = z.object({ after: AccountState.nullable(), verifiedAt: z.iso.datetime() });
type Ended = z.infer<typeof Ended>;

/** @throws ServiceError conflict, forbidden, not-found; UpstreamError if the system is down or access remains */
export async function terminateIn(
  services: WorkerServices,
  system: TerminationSystem,
  order: TerminationOrder,
): Promise<SystemTermination> {
  const accounts = accountsOf(system, services.systems);
  const found = order.found.of(system) ?? (await findAndStore(accounts, system, order));
  for (const warning of sameEmailWarnings(accounts.title, found)) order.context.warn(warning);
  const { id, matchedBy, state: before, isCutOff } = found;
  const result = { system, user: { crmId: order.person.crmId, id, matchedBy }, before };
  const unchanged = { after: before, verifiedAt: new Date().toISOString() };
  if (id === null) return { ...result, outcome: 'absent', ...unchanged };
  if (order.dryRun) return { ...result, outcome: isCutOff ? 'already-terminated' : 'to-be-terminated', ...unchanged };

  const account = { system, accountId: id, before };
  const ended = isCutOff ? unchanged : await revokeOnce(services, accounts, order, account);
  await recordTermination(services.database, order, account, ended);
  return { ...result, outcome: isCutOff ? 'already-terminated' : 'terminated', ...ended };
}

/** An account without access is not stored: a retry reads it again. */
async function findAndStore(
  accounts: SystemAccounts,
  system: TerminationSystem,
  { person, protectedEmails, found }: TerminationOrder,
): Promise<FoundAccount> {
  const account = await findAccount(accounts, person, protectedEmails);
  if (!account.isCutOff) await found.store(system, account);
  return account;
}

/** Once per job: a later job revokes access again, because people return. */
async function revokeOnce(
  { effects, database }: WorkerServices,
  accounts: SystemAccounts,
  order: TerminationOrder,
  account: TerminatedAccount,
): Promise<Ended> {
  const { system, accountId } = account;
  const readRevoked = async (): Promise<Ended | undefined> => {
    const { state, isCutOff } = await accounts.read(accountId);
    return isCutOff ? { after: state, verifiedAt: new Date().toISOString() } : undefined;
  };
  const { result } = await effects.once({
    key: `termination:${order.context.jobId}:${system}`,
    kind: 'user-terminated',
    system,
    result: Ended,
    find: readRevoked,
    execute: async () => {
      await recordTermination(database, order, account);
      await accounts.revokeAccess(accountId);
      const ended = await readRevoked();
      if (!ended) throw stillHasAccess(accounts, account);
      return ended;
    },
  });
  return result;
}

/** Transient: systems may show the change with a delay. */
const stillHasAccess = ({ title }: SystemAccounts, { system, accountId }: TerminatedAccount): UpstreamError =>
  new UpstreamError(
    'upstream-failed',
    `User ${accountId} was terminated in ${title}, but still has access when read again. Check the user there.`,
    { kind: 'incomplete', after: 'unclear', system },
  );

interface TerminatedAccount {
  system: TerminationSystem;
  accountId: string;
  before: AccountState | null;
}

const action = 'crm.terminateUser';

/**
 * Writes one audit entry per job, account and stage; repeats write none. A job has one run at a time.
 * @param ended absent before the account is changed (stage `begun`)
 */
const recordTermination = (
  database: Database,
  { person: { crmId }, reason, context: { jobId, clientId } }: TerminationOrder,
  { system, accountId, before }: TerminatedAccount,
  ended?: Ended,
): Promise<void> =>
  database.transaction(async transaction => {
    const stage = ended ? 'ended' : 'begun';
    const target = `/${system}/users/${accountId}`;
    const isSame = and(
      eq(auditTable.target, target),
      eq(auditTable.action, action),
      sql`${auditTable.after}->>'jobId' = ${jobId} and ${auditTable.after}->>'stage' = ${stage}`,
    );
    const [known] = await transaction.select({ id: auditTable.id }).from(auditTable).where(isSame).limit(1);
    if (known) return;
    const after = { stage, jobId, crmId, reason, ...(ended && { account: ended.after }) };
    await recordAuditEntry(transaction, { kind: 'client', name: clientId }, { action, target, before, after });
  });
