/** Who is meant, as the CRM knows them: the id and the e-mail that other systems are asked by. */
import { createHash } from 'node:crypto';
import type { Crm } from '../../integrations/crm/system.ts';
import type { CrmUser } from '../../integrations/crm/users.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { TerminationRequest } from './termination.ts';

export interface Person {
  crmId: number | null;
  /** In lower case. */
  email: string | null;
  inCrm: 'active' | 'dismissed' | 'unknown';
  /** Other CRM users with this e-mail: it does not tell these people apart. */
  namesakes: number[];
}

/** Dismissed users count too: theirs is the ordinary case. @throws ServiceError conflict when several have the e-mail */
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
      `Several CRM users have this e-mail: ${users.map(({ id }) => id).join(', ')}. Send the crmId of the one who is meant.`,
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

/** What tells a person apart without telling the e-mail. */
export function personKey({
  crmId,
  email,
}: {
  crmId?: number | null | undefined;
  email?: string | null | undefined;
}) {
  if (crmId != null) return `crm ${crmId}`;
  return createHash('sha256')
    .update(email ?? '')
    .digest('hex')
    .slice(0, 32);
}

/** Most likely a slip of the pen. */
export const unknownPerson = (): ServiceError =>
  new ServiceError('not-found', 'Neither the CRM nor any system that was to be closed knows this user.');
