/** Finds a person's account in a system: exactly one, or an error that names the candidates. */
import { z } from 'zod';
import type { Warning } from '../../jobs/record.ts';
import { commaSeparated } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { Account, AccountAccess, SystemAccounts } from './accounts.ts';
import type { Person } from './person.ts';

export const TerminationConfig = z.object({
  TERMINATION_PROTECTED_EMAILS: z
    .string()
    .default('')
    .transform(text => commaSeparated(text.toLowerCase()))
    .describe('E-mails that are never terminated, comma-separated, with * for any text, such as svc-*@example.com.'),
});
export type TerminationConfig = z.infer<typeof TerminationConfig>;

/** @param patterns of TERMINATION_PROTECTED_EMAILS, in lower case */
export function isProtected(email: string, patterns: readonly string[]): boolean {
  return patterns.some(pattern => {
    const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`).test(email.trim().toLowerCase());
  });
}

interface ResolvedAccount {
  account: Account;
  matchedBy: 'crmId' | 'email';
  /** Other accounts with the person's e-mail and without a CRM id: possibly the same person's. */
  alike: string[];
}

/**
 * The CRM id takes precedence over the e-mail, which people inherit and share.
 * @param title of the system, such as `the identity directory`
 * @returns undefined if the system has no such user
 * @throws ServiceError conflict
 */
export function resolveAccount(
  { byCrmId, byEmail }: Record<'byCrmId' | 'byEmail', readonly Account[]>,
  person: Person,
  title: string,
): ResolvedAccount | undefined {
  const conflict = (reason: string) => new ServiceError('conflict', `${capitalized(title)} ${reason}`);
  if (byCrmId.length > 1)
    throw conflict(`has several users with the CRM id ${person.crmId}: ${idsOf(byCrmId)}. Fix that there first.`);
  const [own] = byCrmId;
  if (own) {
    const alike = byEmail.filter(({ id, crmId }) => id !== own.id && crmId === null);
    return { account: own, matchedBy: 'crmId', alike: alike.map(({ id }) => id) };
  }

  const [account] = byEmail;
  if (!account) return undefined;
  if (byEmail.length > 1)
    throw conflict(`has several users with this e-mail: ${idsOf(byEmail)}. Fix that there first, or send the crmId.`);
  if (person.namesakes.length > 0)
    throw conflict(
      `has this user by e-mail only (${account.id}), and the CRM users ${[person.crmId, ...person.namesakes].join(', ')} share that e-mail. Fix that in the CRM first.`,
    );
  if (person.crmId !== null && account.crmId !== null && account.crmId !== person.crmId)
    throw conflict(
      `has this e-mail for CRM user ${account.crmId} (${account.id}), the CRM for CRM user ${person.crmId}. Fix that first.`,
    );
  return { account, matchedBy: 'email', alike: [] };
}

const idsOf = (accounts: readonly Account[]): string => accounts.map(({ id }) => id).join(', ');
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export type FoundAccount = AccountAccess & {
  /** Null if the system has no such user. */
  id: string | null;
  matchedBy: ResolvedAccount['matchedBy'] | null;
  /** Ids of other accounts with the person's e-mail. */
  alike: string[];
};

/**
 * @param protectedEmails patterns of TERMINATION_PROTECTED_EMAILS
 * @throws ServiceError conflict if the account is ambiguous, not-found if there is nothing to search by, forbidden if
 * the account is protected
 */
export async function findAccount(
  accounts: SystemAccounts,
  person: Person,
  protectedEmails: readonly string[],
): Promise<FoundAccount> {
  rejectProtected(person, protectedEmails);
  if (!accounts.findByCrmId && person.email === null) throw withoutEmail(person, accounts.title);
  const [byCrmId, byEmail] = await Promise.all([
    person.crmId === null ? [] : (accounts.findByCrmId?.(person.crmId) ?? []),
    person.email === null ? [] : accounts.findByEmail(person.email),
  ]);
  const choice = resolveAccount({ byCrmId, byEmail }, person, accounts.title);
  if (!choice) return { id: null, matchedBy: null, alike: [], state: null, isCutOff: true };
  rejectProtected(choice.account, protectedEmails);
  const { account, matchedBy, alike } = choice;
  return { id: account.id, matchedBy, alike, ...(await accounts.read(account.id)) };
}

/** @param title of the system, such as `the identity directory` */
export function sameEmailWarnings(title: string, { id, alike }: Pick<FoundAccount, 'id' | 'alike'>): Warning[] {
  if (alike.length === 0) return [];
  const detail = `In ${title} user ${id} has the CRM id; ${alike.join(', ')}, with the same e-mail, is left unchanged.`;
  return [{ pointer: '', code: 'same-email', detail }];
}

function rejectProtected({ email }: Pick<Account, 'email'> | Pick<Person, 'email'>, patterns: readonly string[]): void {
  if (email === null || !isProtected(email, patterns)) return;
  throw new ServiceError(
    'forbidden',
    'This user is protected: the setting TERMINATION_PROTECTED_EMAILS contains the e-mail.',
  );
}

const withoutEmail = ({ crmId, inCrm }: Person, title: string): ServiceError =>
  new ServiceError(
    inCrm === 'unknown' ? 'not-found' : 'conflict',
    `The CRM has no e-mail of user ${crmId}, and ${title} identifies users by e-mail only. Send the email instead.`,
  );
