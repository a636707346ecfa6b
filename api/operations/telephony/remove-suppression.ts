import { z } from 'zod';
import { Contact, hashOf } from '../../../core/domain/consent/contact.ts';
import { createSuppressions } from '../../../core/domain/consent/suppressions.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Permit marketing to a contact again, after the person has asked for it. The change is audited.',
  id: 'telephony.removeSuppression',
  route: 'DELETE /apps/telephony/v1/suppressions',
  scope: 'telephony',
  request: { query: z.object({ contact: Contact }) },
  answers: { 204: { description: 'The contact is no longer on the list.' } },
  problems: { 'not-found': 'The contact is not on the list.' },
  async handle({ query: { contact } }, call) {
    const { database, secrets } = call.services;
    if (await createSuppressions(database).remove(await hashOf(contact, secrets), actorOf(call)))
      return { status: 204 };
    throw new ServiceError('not-found', 'The contact is not on the list.');
  },
});
