/** The CRM's users, dismissed ones too: the CRM gives them as long as nobody asks for active ones only. */
import { z } from 'zod';
import { foundIn } from './refusal.ts';
import { type Command, type CrmRest, commandsABatch } from './rest.ts';
import { type CrmUser, userPageRows, WireUser } from './wire/user.ts';

export type { CrmUser } from './wire/user.ts';

const method = 'user.get';
const Page = z.array(WireUser);

export function openUsers(rest: CrmRest) {
  /** Pages are counted, not chained: the CRM documents no other way for users. */
  async function pages(from: number, count: number) {
    const commands = Array.from({ length: count }, (_, page): Command => {
      const start = (from + page) * userPageRows;
      return { key: `page${from + page}`, method, parameters: { sort: 'ID', order: 'ASC', start } };
    });
    const outcomes = await rest.batch('read', commands);
    const total = Math.max(0, ...outcomes.map(outcome => ('total' in outcome ? (outcome.total ?? 0) : 0)));
    return { users: outcomes.flatMap(outcome => foundIn(outcome, Page) ?? []), total };
  }

  /** @param expected how many there will probably be, so that no pages are asked for in vain */
  async function all(expected = 500): Promise<CrmUser[]> {
    const users = new Map<number, CrmUser>();
    let [asked, total] = [0, expected];
    while (asked * userPageRows < total) {
      const count = Math.min(commandsABatch, Math.ceil(total / userPageRows) - asked);
      const found = await pages(asked, count);
      for (const user of found.users) users.set(user.id, user);
      asked += count;
      total = found.total;
    }
    return [...users.values()].sort((a, b) => a.id - b.id);
  }

  const byFilter = (filter: Record<string, string | number>): Promise<CrmUser[]> =>
    rest.call({ class: 'read', method, parameters: { FILTER: filter }, answer: Page });

  return {
    all,

    get: async (id: number): Promise<CrmUser | undefined> => (await byFilter({ ID: id }))[0],

    /**
     * All that match: an e-mail whatever its case, a phone by its last nine digits, a name whatever its case, accents
     * and order of words.
     */
    async find(by: { email: string } | { phone: string } | { name: string }): Promise<CrmUser[]> {
      if ('email' in by) {
        const wanted = by.email.trim().toLowerCase();
        const asked = await byFilter({ EMAIL: by.email.trim() });
        const found = asked.filter(({ email }) => email?.toLowerCase() === wanted);
        // How the CRM compares depends on its database: what it does not find is looked for here.
        return found.length > 0
          ? found
          : (await all()).filter(({ email }) => email?.toLowerCase() === wanted);
      }
      const users = await all();
      if ('name' in by) return users.filter(({ name }) => folded(name) === folded(by.name));
      const wanted = lastDigits(by.phone);
      return wanted === undefined
        ? []
        : users.filter(({ phones }) => phones.some(one => lastDigits(one) === wanted));
    },
  };
}

/** The digits without country and trunk prefix, whose spelling varies. */
function lastDigits(phone: string): string | undefined {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 7 ? undefined : digits.slice(-9);
}

const folded = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .sort()
    .join(' ');
