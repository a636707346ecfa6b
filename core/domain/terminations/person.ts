/** The person to terminate, as found in the CRM: the id and the e-mail that identify the accounts in other systems. */
import { hash } from 'node:crypto';
import type { Crm } from '../../integrations/crm/system.ts';
import type { CrmUser } from '../../integrations/crm/users.ts';
import type { Warning } from '../../jobs/record.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { TerminationRequest } from './termination.ts';

export interface Person {
  crmId: number | null;
  /** Lower case. */
  email: string | null;
  inCrm: 'active' | 'dismissed' | 'unknown';
  /** Ids of other CRM users with the same e-mail, which then identifies none of them. */
  namesakes: number[];
}

/** Dismissed users are included: they are the usual case. @throws ServiceError conflict if several users have the e-mail */
export async function findPerson(
  crm: Pick<Crm, 'users'>,
  { crmId, email }: Pick<TerminationRequest, 'crmId' | 'email'>,
): Promise<Person> {
  if (crmId !== undefined) return await findById(crm, crmId);
  const users = await crm.users.find({ email: email ?? '' });
  const [user] = users;
  if (users.length > 1)
    throw new ServiceError(
      'conflict',
      `Several CRM users have this e-mail: ${users.map(({ id }) => id).join(', ')}. Send the crmId instead.`,
    );
  if (!user) return { crmId: null, email: email ?? null, inCrm: 'unknown', namesakes: [] };
  return personOf(user, []);
}

async function findById(crm: Pick<Crm, 'users'>, crmId: number): Promise<Person> {
  const user = await crm.users.get(crmId);
  if (!user) return { crmId, email: null, inCrm: 'unknown', namesakes: [] };
  const alike = user.email === null ? [] : await crm.users.find({ email: user.email });
  return personOf(
    user,
    alike.map(({ id }) => id).filter(id => id !== crmId),
  );
}

const personOf = ({ id, email, active }: CrmUser, namesakes: number[]): Person => ({
  crmId: id,
  email: email?.trim().toLowerCase() || null,
  inCrm: active ? 'active' : 'dismissed',
  namesakes,
});

/** Warnings about the person's state in the CRM. */
export function personWarnings({ inCrm }: Person, { crmId }: Pick<TerminationRequest, 'crmId'>): Warning[] {
  const pointer = crmId === undefined ? '/email' : '/crmId';
  switch (inCrm) {
    case 'dismissed':
      return [];
    case 'active':
      return [{ pointer, code: 'active-in-crm', detail: 'This user is still active in the CRM.' }];
    case 'unknown':
      return [{ pointer, code: 'not-in-crm', detail: 'The CRM does not have this user.' }];
  }
}

/** A key of the person without the e-mail: the CRM id, or a digest. */
export const personKey = ({ crmId, email }: { [Name in 'crmId' | 'email']?: Person[Name] | undefined }): string =>
  crmId != null ? `crm ${crmId}` : hash('sha256', email ?? '').slice(0, 32);

export const unknownPerson = (): ServiceError =>
  new ServiceError('not-found', 'Neither the CRM nor any of the requested systems has this user.');
