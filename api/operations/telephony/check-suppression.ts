import { z } from 'zod';
import { Contact, hashOf } from '../../../core/domain/consent/contact.ts';
import { createSuppressions } from '../../../core/domain/consent/suppressions.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { SuppressionResource, suppressionView } from './suppression-resource.ts';

export default defineOperation({
  summary: 'Check whether marketing to a contact is stopped.',
  id: 'telephony.checkSuppression',
  route: 'GET /apps/telephony/v1/suppressions/check',
  scope: 'telephony',
  request: { query: z.object({ contact: Contact }) },
  answers: { 200: { description: 'Whether it is, by whom and since when.', schema: SuppressionResource } },
  async handle({ query: { contact } }, { services: { database, secrets } }) {
    const found = await createSuppressions(database).find(await hashOf(contact, secrets));
    return ok(suppressionView(contact, found));
  },
});
