import { z } from 'zod';
import { Contact, hashOf } from '../../../core/domain/consent/contact.ts';
import { createSuppressions } from '../../../core/domain/consent/suppressions.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { SuppressionResource, suppressionView } from './suppression-resource.ts';

export default defineOperation({
  summary: 'Stop marketing by SMS and e-mail to a contact. Only a keyed hash of the contact is stored.',
  id: 'telephony.addSuppression',
  route: 'POST /apps/telephony/v1/suppressions',
  scope: 'telephony',
  idempotent: true,
  request: { body: z.object({ contact: Contact }).meta({ examples: [{ contact: '050 123 4561' }] }) },
  answers: { 200: { description: 'The contact is on the list, now or since earlier.', schema: SuppressionResource } },
  async handle({ body: { contact } }, call) {
    const { database, secrets } = call.services;
    const added = await createSuppressions(database).add(await hashOf(contact, secrets), 'client', actorOf(call));
    return { status: 200, body: suppressionView(contact, added) };
  },
});
