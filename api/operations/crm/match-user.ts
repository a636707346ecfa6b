import { z } from 'zod';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { CrmUser } from '../../../core/integrations/crm/users.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { EmailInput, PhoneInput, shortText } from '../../http/input-fields.ts';
import { defineOperation, ok } from '../../http/operation.ts';

const Query = z
  .object({
    email: EmailInput.optional().describe('Full e-mail address.'),
    phone: PhoneInput.optional().describe('Phone number in any common spelling.'),
    name: shortText.min(1).optional().describe('Full name, in any order of words.'),
  })
  .refine(query => Object.values(query).filter(value => value !== undefined).length === 1, {
    message: 'must have exactly one of email, phone and name',
  });

const CrmUserResource = CrmUser.meta({
  id: 'CrmUser',
  examples: [
    {
      id: 17,
      firstName: 'Layla',
      lastName: 'Haddad',
      name: 'Layla Haddad',
      email: 'layla.haddad@meridianpalm.example',
      phones: ['+971501234501'],
      jobTitle: 'Senior Property Consultant',
      departmentIds: [3],
      active: true,
    },
  ],
});

const MatchedUser = z
  .object({
    user: CrmUserResource.describe('The user.'),
    matchedBy: z.enum(['email', 'phone', 'name']).describe('The value that was searched by.'),
  })
  .meta({ id: 'MatchedUser' });

export default defineOperation({
  summary: 'Find the CRM user with an e-mail address, phone number or name.',
  id: 'crm.matchUser',
  route: 'GET /apps/crm/v1/users/match',
  scope: 'crm:read',
  request: { query: Query },
  answers: {
    200: {
      description: 'The matching user; of several, the only one that is not dismissed, else 409.',
      schema: MatchedUser,
    },
  },
  calls: [crmSystem],
  problems: { 'not-found': 'No CRM user has this value.', conflict: 'Several CRM users have this value.' },
  async handle({ query }, { services }) {
    const { by, matchedBy } = criterion(query);
    const user = onlyOne(await crmSystem.client(services.systems).users.find(by), matchedBy);
    return ok({ user, matchedBy });
  },
});

function criterion({ email, phone, name }: z.output<typeof Query>) {
  if (email !== undefined) return { by: { email }, matchedBy: 'email' as const };
  if (phone !== undefined) return { by: { phone }, matchedBy: 'phone' as const };
  return { by: { name: name ?? '' }, matchedBy: 'name' as const };
}

function onlyOne(users: readonly CrmUser[], matchedBy: string): CrmUser {
  const active = users.filter(user => user.active);
  const [user] = active.length > 0 ? active : users;
  if (!user) throw new ServiceError('not-found', `No CRM user has this ${matchedBy}.`);
  if (active.length === 1 || users.length === 1) return user;
  const ids = users.map(({ id }) => id).join(', ');
  throw new ServiceError('conflict', `Several CRM users have this ${matchedBy}: ${ids}. Search by another value.`);
}
