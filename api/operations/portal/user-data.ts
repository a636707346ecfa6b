/** One user as the chat-bot database and the log store know them, joined; what one of them failed to tell is named. */
import { z } from 'zod';
import type {
  ActivityLog,
  ActivityPage,
  PersonKeys,
} from '../../../core/integrations/activity-log/system.ts';
import type {
  ChatBot,
  ChatBotUser,
  ChatBotUserKey,
  Conversation,
} from '../../../core/integrations/chat-bot/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { toE164 } from '../../../core/values/phone-number.ts';

export const UserData = z
  .object({
    user: z.object({
      crmId: z.int().nullable(),
      name: z.string().nullable(),
      email: z.string().nullable(),
      phone: z
        .string()
        .nullable()
        .describe('E.164; as it stands in the chat bot when it is no phone number.'),
      active: z.boolean().nullable().describe('Whether the chat bot lets the user in; null: not known.'),
    }),
    conversations: z
      .array(
        z.object({
          channel: z.string(),
          startedAt: z.iso.datetime(),
          lastMessageAt: z.iso.datetime().nullable(),
          messages: z.int(),
        }),
      )
      .describe('Newest first, at most 200.'),
    activity: z.object({
      items: z
        .array(z.object({ at: z.iso.datetime(), action: z.string(), listing: z.string().nullable() }))
        .describe('Newest first, at most 100.'),
      total: z.int(),
      lastSeenAt: z.iso.datetime().nullable(),
    }),
    missing: z
      .array(z.enum(['chat-bot', 'activity-log']))
      .describe('Sources that failed: what they would have told is left out. Ask again later.'),
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
            startedAt: '2026-05-14T08:12:00Z',
            lastMessageAt: '2026-05-14T08:40:00Z',
            messages: 14,
          },
        ],
        activity: {
          items: [{ at: '2026-05-30T09:01:12Z', action: 'listing.viewed', listing: 'MP-S-1041' }],
          total: 1,
          lastSeenAt: '2026-05-30T09:01:12Z',
        },
        missing: [],
      },
    ],
  });
type UserData = z.infer<typeof UserData>;

const shownActivities = 100;

interface Profile {
  user: ChatBotUser | undefined;
  conversations: Conversation[];
}

type Told<T> = { told: T } | { failure: ServiceError };

/**
 * @throws ServiceError not-found; conflict when more than one user is meant; what a source failed with when nobody can
 * be found without it
 */
export async function userData(
  { chatBot, activityLog }: { chatBot: () => ChatBot; activityLog: () => ActivityLog },
  key: ChatBotUserKey,
): Promise<UserData> {
  // The log is asked second: what the chat bot knows of the user finds more in it.
  const profile = await orFailure(() => profileOf(chatBot(), key));
  const known = 'told' in profile ? profile.told.user : undefined;
  const activity = await orFailure(() => activityLog().ofPerson(keysOf(key, known), shownActivities));
  if (!known) refuseNobody(profile, activity);
  return joined(key, profile, activity);
}

async function profileOf(chatBot: ChatBot, key: ChatBotUserKey): Promise<Profile> {
  const users = await chatBot.findUsers(key);
  const active = users.filter(user => user.active);
  // Somebody who registered again has an old row, too.
  const meant = active.length > 0 ? active : users;
  if (meant.length > 1)
    throw new ServiceError(
      'conflict',
      `${meant.length} users of the chat bot match; ask by another of crm_id, email and phone.`,
    );
  const [user] = meant;
  return { user, conversations: user ? await chatBot.conversations(user.id) : [] };
}

/** What failed for a while, or is not there at all, is left out; what the caller can mend is not. */
async function orFailure<T>(ask: () => Promise<T>): Promise<Told<T>> {
  try {
    return { told: await ask() };
  } catch (error) {
    if (error instanceof ServiceError && error.status >= 500) return { failure: error };
    throw error;
  }
}

/** @throws ServiceError unless the log knows somebody; not that nobody is there while a source could not say so */
function refuseNobody(profile: Told<Profile>, activity: Told<ActivityPage>): void {
  if ('told' in activity && activity.told.total > 0) return;
  if ('failure' in profile) throw profile.failure;
  if ('failure' in activity) throw activity.failure;
  throw new ServiceError('not-found', 'Neither the chat bot nor the portal’s log knows such a user.');
}

function keysOf(asked: ChatBotUserKey, user: ChatBotUser | undefined): PersonKeys {
  const crmId = 'crmId' in asked ? asked.crmId : user?.crmId;
  const email = 'email' in asked ? asked.email : user?.email;
  const phone = toE164(('phone' in asked ? asked.phone : user?.phone) ?? '');
  return {
    crmIds: crmId ? [crmId] : [],
    emails: email ? [email] : [],
    phones: phone === undefined ? [] : [phone],
  };
}

function joined(key: ChatBotUserKey, profile: Told<Profile>, activity: Told<ActivityPage>): UserData {
  const { user, conversations } = 'told' in profile ? profile.told : { user: undefined, conversations: [] };
  const { total, activities } = 'told' in activity ? activity.told : { total: 0, activities: [] };
  const [crmId] = keysOf(key, user).crmIds ?? [];
  const phone = user?.phone ?? ('phone' in key ? key.phone : null);
  return {
    user: {
      crmId: crmId ?? null,
      name: user?.name ?? null,
      email: user?.email ?? ('email' in key ? key.email.toLowerCase() : null),
      phone: phone === null ? null : (toE164(phone) ?? phone),
      active: user?.active ?? null,
    },
    conversations: conversations.map(({ startedAt, lastMessageAt, ...conversation }) => ({
      ...conversation,
      startedAt: startedAt.toISOString(),
      lastMessageAt: lastMessageAt?.toISOString() ?? null,
    })),
    activity: {
      items: activities.map(({ at, action, listing }) => ({ at: at.toISOString(), action, listing })),
      total,
      lastSeenAt: activities[0]?.at.toISOString() ?? null,
    },
    missing: [
      ...('failure' in profile ? ['chat-bot' as const] : []),
      ...('failure' in activity ? ['activity-log' as const] : []),
    ],
  };
}
