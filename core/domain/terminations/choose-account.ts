/** The account that is a person's, of those that a system found: exactly one, or a refusal that names them. */
import { ServiceError } from '../../runtime/errors.ts';
import type { Account } from './accounts.ts';
import type { Person } from './person.ts';

export interface Found {
  byCrmId: readonly Account[];
  byEmail: readonly Account[];
}

export interface Choice {
  account: Account;
  matchedBy: 'crmId' | 'email';
  /** Further accounts with the person's e-mail that nobody's CRM id is written to: perhaps theirs as well. */
  alike: string[];
}

/**
 * The CRM id counts before the e-mail, which people inherit and share.
 * @param title the system, such as `the identity directory`
 * @returns undefined when the system has no such user
 * @throws ServiceError conflict
 */
export function chooseAccount(
  { byCrmId, byEmail }: Found,
  person: Person,
  title: string,
): Choice | undefined {
  const refuse = (why: string) => new ServiceError('conflict', `${capital(title)} ${why}`);
  if (byCrmId.length > 1)
    throw refuse(
      `has several users with the CRM id ${person.crmId}: ${idsOf(byCrmId)}. Mend that there first.`,
    );
  const [own] = byCrmId;
  if (own) {
    const alike = byEmail.filter(({ id, crmId }) => id !== own.id && crmId === null);
    return { account: own, matchedBy: 'crmId', alike: alike.map(({ id }) => id) };
  }

  const [account] = byEmail;
  if (!account) return undefined;
  if (byEmail.length > 1)
    throw refuse(
      `has several users with this e-mail: ${idsOf(byEmail)}. Mend that there first, or send the crmId.`,
    );
  if (person.namesakes.length > 0)
    throw refuse(
      `knows this user by the e-mail only (${account.id}), which the CRM users ${[person.crmId, ...person.namesakes].join(', ')} share. Mend that in the CRM first.`,
    );
  if (person.crmId !== null && account.crmId !== null && account.crmId !== person.crmId)
    throw refuse(
      `has this e-mail for the CRM user ${account.crmId} (${account.id}), the CRM for the CRM user ${person.crmId}. Mend that first.`,
    );
  return { account, matchedBy: 'email', alike: [] };
}

const idsOf = (accounts: readonly Account[]): string => accounts.map(({ id }) => id).join(', ');
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
