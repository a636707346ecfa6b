/** Joins a user's data from the chat-bot database and the log store; names the sources that failed. */
import type { ActivityLog, ActivityPage, PersonKeys } from '../../../core/integrations/activity-log/system.ts';
import type { ChatBot, ChatBotUser, ChatBotUserKey } from '../../../core/integrations/chat-bot/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { toE164 } from '../../../core/values/phone-number.ts';

const maxActivities = 100;

type Profile = Awaited<ReturnType<typeof profileOf>>;
type Outcome<T> = { value: T } | { failure: ServiceError };

/**
 * @throws ServiceError not-found; conflict for several matching users; the failure of a source without which no user is
 * found
 */
export async function userData(
  { chatBot, activityLog }: { chatBot: () => ChatBot; activityLog: () => ActivityLog },
  key: ChatBotUserKey,
) {
  // The log store is second: the chat bot's data gives more keys to search by.
  const profile = await orFailure(() => profileOf(chatBot(), key));
  const known = 'value' in profile ? profile.value.user : undefined;
  const activity = await orFailure(() => activityLog().ofPerson(keysOf(key, known), maxActivities));
  if (!known) requireActivity(profile, activity);
  return joined(key, profile, activity);
}

async function profileOf(chatBot: ChatBot, key: ChatBotUserKey) {
  const users = await chatBot.findUsers(key);
  const active = users.filter(user => user.active);
  // A user who registered again also has an inactive row.
  const matching = active.length > 0 ? active : users;
  if (matching.length > 1) throw new ServiceError('conflict', `${matching.length} users match; search by another key.`);
  const [user] = matching;
  return { user, conversations: user ? await chatBot.conversations(user.id) : [] };
}

/** Catches failures of the source (5xx); passes on errors that the caller can correct. */
async function orFailure<T>(ask: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    if (error instanceof ServiceError && error.status >= 500) return { failure: error };
    throw error;
  }
}

/** @throws ServiceError unless the log store knows the user; not-found only if both sources answered */
function requireActivity(profile: Outcome<Profile>, activity: Outcome<ActivityPage>): void {
  if ('value' in activity && activity.value.total > 0) return;
  if ('failure' in profile) throw profile.failure;
  if ('failure' in activity) throw activity.failure;
  throw new ServiceError('not-found', 'Neither the chat bot nor the log store knows this user.');
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

function joined(key: ChatBotUserKey, profile: Outcome<Profile>, activity: Outcome<ActivityPage>) {
  const { user, conversations } = 'value' in profile ? profile.value : { user: undefined, conversations: [] };
  const { total, activities } = 'value' in activity ? activity.value : { total: 0, activities: [] };
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
    conversations,
    activity: {
      items: activities.map(({ at, action, listing }) => ({ at, action, listing })),
      total,
      lastSeenAt: activities[0]?.at ?? null,
    },
    missing: [
      ...('failure' in profile ? ['chat-bot' as const] : []),
      ...('failure' in activity ? ['activity-log' as const] : []),
    ],
  };
}
