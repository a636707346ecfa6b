/** The CRM's users, including dismissed ones: the CRM returns them unless a filter asks for active users only. */
import { z } from 'zod';
import { everyRow, goodRows, rowsIn } from '../kit/read-rows.ts';
import { picked, rowOf } from '../kit/row.ts';
import { resultOf } from './rejection.ts';
import { type Command, type CrmRest, maxBatchCommands } from './rest.ts';
import { Id, TextOrNull, YesNo } from './wire/scalars.ts';

export const CrmUser = z.object({
  id: Id.describe('The user’s id.'),
  firstName: TextOrNull.describe('First name.'),
  lastName: TextOrNull.describe('Last name.'),
  name: z.string().describe('First and last name; else the e-mail address.'),
  email: TextOrNull.describe('E-mail address.'),
  /** As typed, in any spelling. */
  phones: z.array(z.coerce.string()).describe('As typed, in any spelling.'),
  jobTitle: TextOrNull.describe('Position.'),
  departmentIds: z.array(Id).describe('Ids of the departments.'),
  active: YesNo.describe('False: dismissed.'),
});
export type CrmUser = z.output<typeof CrmUser>;

const names = { id: 'ID', firstName: 'NAME', lastName: 'LAST_NAME', email: 'EMAIL', jobTitle: 'WORK_POSITION' };
const WireUser = rowOf(CrmUser, row => ({
  ...picked(row, { ...names, active: 'ACTIVE' }),
  name: [row.NAME, row.LAST_NAME].filter(Boolean).join(' ') || row.EMAIL || `User ${row.ID}`,
  phones: [row.PERSONAL_MOBILE, row.WORK_PHONE, row.PERSONAL_PHONE].filter(Boolean),
  departmentIds: departmentsOf(row.UF_DEPARTMENT),
}));

/** A user without a department has `false`, `[]` or `['']`. */
const departmentsOf = (ids: unknown): unknown => (Array.isArray(ids) ? ids.filter(id => id !== '') : ids || []);

const method = 'user.get';
const pageRows = 50;
const system = { name: 'crm', title: 'The CRM' };
const Page = rowsIn({ system, record: 'user', id: 'ID' }, WireUser);

export function openUsers(rest: CrmRest) {
  /** Pages by offset: the CRM documents no cursor for users. */
  async function readPages(from: number, count: number) {
    const commands = Array.from({ length: count }, (_, page): Command => {
      const start = (from + page) * pageRows;
      return { key: `page${from + page}`, method, parameters: { sort: 'ID', order: 'ASC', start } };
    });
    const outcomes = await rest.batch('read', commands);
    const total = Math.max(0, ...outcomes.map(outcome => ('total' in outcome ? (outcome.total ?? 0) : 0)));
    return { users: goodRows(outcomes.flatMap(outcome => resultOf(outcome, Page) ?? [])), total };
  }

  /** @param expected probable number of users, which avoids requests for empty pages */
  async function all(expected = 500): Promise<CrmUser[]> {
    const users = new Map<number, CrmUser>();
    let [pages, total] = [0, expected];
    while (pages * pageRows < total) {
      const count = Math.min(maxBatchCommands, Math.ceil(total / pageRows) - pages);
      const found = await readPages(pages, count);
      for (const user of found.users) users.set(user.id, user);
      pages += count;
      total = found.total;
    }
    return [...users.values()].sort((a, b) => a.id - b.id);
  }

  const byFilter = async (filter: Record<string, string | number>): Promise<CrmUser[]> =>
    everyRow(system, await rest.call({ class: 'read', method, parameters: { FILTER: filter }, answer: Page }));

  async function findByEmail(email: string): Promise<CrmUser[]> {
    const wanted = email.trim().toLowerCase();
    const withEmail = (users: CrmUser[]) => users.filter(user => user.email?.toLowerCase() === wanted);
    const found = withEmail(await byFilter({ EMAIL: email.trim() }));
    // The CRM's comparison of case depends on its database.
    return found.length > 0 ? found : withEmail(await all());
  }

  return {
    all,

    get: async (id: number): Promise<CrmUser | undefined> => (await byFilter({ ID: id }))[0],

    /** All matches: e-mail in any case, phone by its last nine digits, name in any case, accents and order of words. */
    async find(by: { email: string } | { phone: string } | { name: string }): Promise<CrmUser[]> {
      if ('email' in by) return await findByEmail(by.email);
      const users = await all();
      if ('name' in by) return users.filter(({ name }) => normalized(name) === normalized(by.name));
      const wanted = lastDigits(by.phone);
      return wanted === undefined
        ? []
        : users.filter(({ phones }) => phones.some(phone => lastDigits(phone) === wanted));
    },
  };
}

/** The digits without country and trunk prefix, whose spelling varies. */
function lastDigits(phone: string): string | undefined {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 7 ? undefined : digits.slice(-9);
}

const normalized = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .sort()
    .join(' ');
