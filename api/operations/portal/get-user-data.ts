import { z } from 'zod';
import activityLog from '../../../core/integrations/activity-log/system.ts';
import type { ChatBotUserKey } from '../../../core/integrations/chat-bot/system.ts';
import chatBot from '../../../core/integrations/chat-bot/system.ts';
import { toE164 } from '../../../core/values/phone-number.ts';
import { defineOperation } from '../../http/operation.ts';
import { UserData, userData } from './user-data.ts';

const UserQuery = z
  .object({
    crm_id: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'must be the id of a CRM user')
      .transform(Number)
      .optional()
      .describe('The user’s id in the CRM.'),
    email: z
      .string()
      .trim()
      .pipe(z.email('must be an e-mail address'))
      .optional()
      .describe('Whatever its case.'),
    phone: z
      .string()
      .max(40, 'must have at most 40 characters')
      .refine(phone => toE164(phone) !== undefined, 'must be a phone number, such as +971501234567')
      .optional()
      .describe('In any spelling; a number without a country is Emirati.'),
  })
  .refine(query => Object.values(query).filter(value => value !== undefined).length === 1, {
    error: 'must have exactly one of crm_id, email and phone',
  });

export default defineOperation({
  summary:
    'One user’s data, joined from the chat-bot database (profile, conversations) and the log store (activity).',
  id: 'portal.getUserData',
  method: 'GET',
  path: '/apps/portal/v1/user-data',
  scope: 'portal:read',
  request: { query: UserQuery },
  answers: {
    200: { description: 'The user; a source that failed is named in `missing`.', schema: UserData },
  },
  async handle({ query }, { services: { systems } }) {
    const sources = {
      chatBot: () => chatBot.client(systems),
      activityLog: () => activityLog.client(systems),
    };
    const body = await userData(sources, keyOf(query));
    return { status: 200, headers: { 'cache-control': 'no-store' }, body };
  },
});

function keyOf({ crm_id: crmId, email, phone }: z.output<typeof UserQuery>): ChatBotUserKey {
  if (crmId !== undefined) return { crmId };
  return email === undefined ? { phone: phone ?? '' } : { email };
}
