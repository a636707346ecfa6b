/** The account that is a person's, of those that a system found: exactly one, or a refusal that names them. */

import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import type { Account, AccountAccess, SystemAccounts } from './accounts.ts';
import type { Person } from './person.ts';

export interface AccountCandidates {
  byCrmId: readonly Account[];
  byEmail: readonly Account[];
}

export interface ResolvedAccount {
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
export function resolveAccount(
  { byCrmId, byEmail }: AccountCandidates,
  person: Person,
  title: string,
): ResolvedAccount | undefined {
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

export type FoundAccount = AccountAccess & {
  /** Null when the system has no such user. */
  id: string | null;
  matchedBy: ResolvedAccount['matchedBy'] | null;
  /** Further accounts with the person's e-mail. */
  alike: string[];
};

/**
 * @param protectedEmails patterns, as the setting has them
 * @throws ServiceError conflict when it is not clear who is meant, not-found when nobody can tell by what to look,
 * forbidden when the account is protected
 */
export async function findAccount(
  accounts: SystemAccounts,
  person: Person,
  protectedEmails: readonly string[],
): Promise<FoundAccount> {
  refuseProtected(person, protectedEmails);
  if (!accounts.findByCrmId && person.email === null) throw withoutEmail(person, accounts.title);
  const choice = resolveAccount(await find(accounts, person), person, accounts.title);
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

export const TerminationConfig = z.object({
  TERMINATION_PROTECTED_EMAILS: z
    .string()
    .default('')
    .transform(text =>
      text
        .split(',')
        .map(pattern => pattern.trim().toLowerCase())
        .filter(Boolean),
    )
    .describe(
      'E-mails that are never terminated, comma-separated, with * for any text, such as svc-*@example.com.',
    ),
});
export type TerminationConfig = z.infer<typeof TerminationConfig>;

/** @param patterns in lower case, as the setting has them */
export function isProtected(email: string, patterns: readonly string[]): boolean {
  return patterns.some(pattern => {
    const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`).test(email.trim().toLowerCase());
  });
}
