/** Finds a person's account in a system and reads how it stands; changes nothing. */
import { ServiceError } from '../../runtime/errors.ts';
import type { Account, Reading, SystemAccounts } from './accounts.ts';
import { type Choice, chooseAccount } from './choose-account.ts';
import { isProtected } from './config.ts';
import type { Person } from './person.ts';

export type LookedUp = Reading & {
  /** Null when the system has no such user. */
  id: string | null;
  matchedBy: Choice['matchedBy'] | null;
  /** Further accounts with the person's e-mail. */
  alike: string[];
};

/**
 * @param protectedEmails patterns, as the setting has them
 * @throws ServiceError conflict when it is not clear who is meant, not-found when nobody can tell by what to look,
 * forbidden when the account is protected
 */
export async function lookUp(
  accounts: SystemAccounts,
  person: Person,
  protectedEmails: readonly string[],
): Promise<LookedUp> {
  refuseProtected(person, protectedEmails);
  if (!accounts.findByCrmId && person.email === null) throw withoutEmail(person, accounts.title);
  const choice = chooseAccount(await find(accounts, person), person, accounts.title);
  if (!choice) return { id: null, matchedBy: null, alike: [], state: null, isCutOff: true };
  refuseProtected(choice.account, protectedEmails);
  const { account, matchedBy, alike } = choice;
  return { id: account.id, matchedBy, alike, ...(await accounts.read(account.id)) };
}

async function find(accounts: SystemAccounts, { crmId, email }: Person) {
  const [byCrmId, byEmail] = await Promise.all([
    crmId === null ? [] : (accounts.findByCrmId?.(crmId) ?? []),
    email === null ? [] : accounts.findByEmail(email),
  ]);
  return { byCrmId, byEmail };
}

function refuseProtected(
  { email }: Pick<Account, 'email'> | Pick<Person, 'email'>,
  patterns: readonly string[],
): void {
  if (email === null || !isProtected(email, patterns)) return;
  throw new ServiceError(
    'forbidden',
    'This user is protected: the setting TERMINATION_PROTECTED_EMAILS names the e-mail.',
  );
}

const withoutEmail = ({ crmId, inCrm }: Person, title: string): ServiceError =>
  new ServiceError(
    inCrm === 'unknown' ? 'not-found' : 'conflict',
    `The CRM has no e-mail of user ${crmId}, and ${title} knows people by nothing else. Send the email instead.`,
  );
