/** Seed data of the chat bot: users (people of the firm) and conversations. */
import { people } from '../kit/people.ts';
import { createRandom, type Random } from '../kit/random.ts';

export interface BotUser {
  id: number;
  crmId: number | null;
  email: string | null;
  phone: string | null;
  name: string;
  active: boolean;
}

export interface BotConversation {
  userId: number;
  channel: 'whatsapp' | 'web' | 'telegram';
  startedAt: Date;
  lastMessageAt: Date | null;
  messages: number;
}

const minute = 60_000;
const firstDay = Date.UTC(2026, 0, 5);
const days = 145;

/** Two thirds of the people use the bot; a quarter of the dismissed users are still active. */
export function seedUsers(): BotUser[] {
  const random = createRandom('chat bot users');
  const users = people()
    .filter(() => random.chance(0.67))
    .map(
      (person, index): BotUser => ({
        id: 501 + index,
        crmId: person.crmId,
        email: random.chance(0.2) ? person.email.toUpperCase() : person.email,
        phone: formatPhone(random, person.phone),
        name: `${person.firstName} ${person.lastName}`,
        active: person.leftOn === undefined || random.chance(0.25),
      }),
    );
  const [first] = users;
  // A duplicate: an older account with the same e-mail and without a CRM id.
  if (first) users.push({ ...first, id: 400, crmId: null, phone: null, active: false });
  return users;
}

function formatPhone(random: Random, e164: string): string {
  const national = e164.slice(4);
  return random.pick([e164, `0${national}`, `00971${national}`, `+971 ${national.slice(0, 2)} ${national.slice(2)}`]);
}

export function seedConversations(): BotConversation[] {
  const random = createRandom('chat bot conversations');
  return seedUsers().flatMap(({ id }) =>
    Array.from({ length: random.whole(0, 6) }, (): BotConversation => {
      const startedAt = firstDay + random.whole(0, days * 1_440) * minute;
      const messages = random.whole(0, 40);
      return {
        userId: id,
        channel: random.pick(['whatsapp', 'whatsapp', 'web', 'telegram'] as const),
        startedAt: new Date(startedAt),
        lastMessageAt: messages === 0 ? null : new Date(startedAt + messages * 2 * minute),
        messages,
      };
    }),
  );
}
