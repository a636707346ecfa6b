import { z } from 'zod';
import activityLog from '../../../core/integrations/activity-log/system.ts';
import chatBot, { type ChatBotUserKey } from '../../../core/integrations/chat-bot/system.ts';
import { toE164 } from '../../../core/values/phone-number.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { userData } from './user-data.ts';

const UserQuery = z
  .object({
    crm_id: idIn('a CRM user').optional().describe('The user’s id in the CRM.'),
    email: z.string().trim().pipe(z.email()).optional().describe('Ignores case.'),
    phone: z
      .string()
      .max(40)
      .refine(phone => toE164(phone) !== undefined, 'must be a phone number, such as +971501234567')
      .optional()
      .describe('In any format; a number without a country code is Emirati.'),
  })
  .refine(query => Object.values(query).filter(value => value !== undefined).length === 1, {
    error: 'must have exactly one of crm_id, email and phone',
  });

export const UserData = z
  .object({
    user: z.object({
      crmId: z.int().nullable(),
      name: z.string().nullable(),
      email: z.string().nullable(),
      phone: z.string().nullable().describe('E.164; unchanged when it is not a valid phone number.'),
      active: z.boolean().nullable().describe('Whether the user may use the chat bot; null: unknown.'),
    }),
    conversations: z
      .array(
        z.object({
          channel: z.string().describe('Such as `whatsapp`.'),
          startedAt: z.iso.datetime().describe('Time of the first message.'),
          lastMessageAt: z.iso.datetime().nullable().describe('Time of the last message.'),
          messages: z.int().describe('Number of messages.'),
        }),
      )
      .describe('Newest first, at most 200.'),
    activity: z
      .object({
        items: z
          .array(z.object({ at: z.iso.datetime(), action: z.string(), listing: z.string().nullable() }))
          .describe('Newest first, at most 100.'),
        total: z.int().describe('Number of all activities.'),
        lastSeenAt: z.iso.datetime().nullable().describe('Time of the latest activity.'),
      })
      .describe('What the user did on the portal.'),
    missing: z
      .array(z.enum(['chat-bot', 'activity-log']))
      .describe('Sources that failed; their data is omitted. Try again later.'),
  })
  .meta({
    id: 'UserData',
    examples: [
      {
        user: {
          crmId: 17,
          name: 'Layla Haddad',
          email: 'layla.haddad@meridianpalm.example',
          phone: '+971501234567',
          active: true,
        },
        conversations: [
          {
            channel: 'whatsapp',
            startedAt: '2026-05-14T08:12:00.000Z',
            lastMessageAt: '2026-05-14T08:40:00.000Z',
            messages: 14,
          },
        ],
        activity: {
          items: [{ at: '2026-05-30T09:01:12.000Z', action: 'listing.viewed', listing: 'MP-S-1041' }],
          total: 1,
          lastSeenAt: '2026-05-30T09:01:12.000Z',
        },
        missing: [],
      },
    ],
  });

export default defineOperation({
  summary: 'Get one user’s data: profile and conversations of the chat bot, activity of the log store.',
  id: 'portal.getUserData',
  route: 'GET /apps/portal/v1/user-data',
  scope: 'portal:read',
  request: { query: UserQuery },
  answers: { 200: { description: 'The user; `missing` names sources that failed.', schema: UserData } },
  calls: [chatBot, activityLog],
  problems: { 'not-found': 'No source knows this user.', conflict: 'Several users match.' },
  async handle({ query }, { services: { systems } }) {
    const sources = {
      chatBot: () => chatBot.client(systems),
      activityLog: () => activityLog.client(systems),
    };
    return ok(await userData(sources, keyOf(query)));
  },
});

function keyOf({ crm_id: crmId, email, phone }: z.output<typeof UserQuery>): ChatBotUserKey {
  if (crmId !== undefined) return { crmId };
  return email === undefined ? { phone: phone ?? '' } : { email };
}
