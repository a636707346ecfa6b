/** Terminates a person in one system: looked up, kept, cut off once, read again, entered into the audit trail. */
import { z } from 'zod';
import { accountsOf, type SystemAccounts } from '../../core/domain/terminations/accounts.ts';
import { recordTermination, type TerminationEntry } from '../../core/domain/terminations/audit-trail.ts';
import { type LookedUp, lookUp } from '../../core/domain/terminations/look-up.ts';
import type { Person } from '../../core/domain/terminations/person.ts';
import {
  AccountState,
  type SystemTermination,
  type TerminationSystem,
} from '../../core/domain/terminations/termination.ts';
import { sameEmailWarnings } from '../../core/domain/terminations/warnings.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { WorkerServices } from '../services.ts';
import type { Findings } from './findings.ts';

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
): Promise<LookedUp> {
  const found = await lookUp(accounts, person, protectedEmails);
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
    lookUp: readCutOff,
    act: async () => {
      await recordTermination(database, entry);
      await accounts.cutOff(accountId);
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
  found: LookedUp,
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
    { system, passing: true, mayHaveRun: true },
  );
