/** Counts the effects in the vendor systems of the sandbox. */
import { z } from 'zod';
import type { SandboxControl } from '../support/sandbox.ts';
import type { Mark } from './requests.ts';

/** Effects of one type: how often each key occurs. Equal keys mean the same effect. */
export type EffectCounts = ReadonlyMap<string, number>;

export interface ObservedEffects {
  byType: ReadonlyMap<string, EffectCounts>;
  /** Number of effects with the mark. */
  countOf(mark: Mark): number;
  leads: ReadonlyMap<number, Lead>;
  /** The seeded employee records, as far as a resync does not change them. */
  employees: ReadonlySet<string>;
  /** Also true for unknown users. */
  isSuspended(email: string): boolean;
}

const Multifield = z.array(z.object({ VALUE: z.string() })).nullish();
const Lead = z.object({
  ID: z.int(),
  TITLE: z.string().nullish(),
  ORIGINATOR_ID: z.string().nullish(),
  ORIGIN_ID: z.string().nullish(),
  UTM_CAMPAIGN: z.string().nullish(),
  PHONE: Multifield,
});
type Lead = z.infer<typeof Lead>;
const Titled = z.object({ ID: z.int(), TITLE: z.string().nullish() });
const Location = z.object({ ID: z.int(), UF_CRM_8_PORTAL_ID: z.string().nullish() });
const Comment = z.object({ ENTITY_ID: z.union([z.int(), z.string()]), COMMENT: z.string() });
const Message = z.object({ clientTxnId: z.string(), text: z.string() });
const Employee = z.object({
  name: z.string(),
  first_name: z.string(),
  last_name: z.string().nullish(),
  company_email: z.string().nullish(),
  date_of_birth: z.string(),
  date_of_joining: z.string(),
  status: z.string(),
  reports_to: z.string().nullish(),
  education: z.array(z.object({ school_univ: z.string() })),
});
type Employee = z.infer<typeof Employee>;
const StateJob = z.object({ systemUserId: z.string(), state: z.string(), scheduledDate: z.string() });
const DirectoryUser = z.object({ email: z.string(), state: z.string() });

const everything = 50_000;

export async function readEffects(sandbox: SandboxControl): Promise<ObservedEffects> {
  const rows = async <Row extends z.ZodType>(system: string, collection: string, row: Row) => {
    const { count, latest } = await sandbox.rows(system, collection, everything);
    if (count > latest.length) throw new Error(`${system} has more than ${everything} ${collection}`);
    return z.array(row).parse(latest);
  };
  const leads = await rows('crm', 'leads', Lead);
  const items = await rows('crm', 'items', Titled);
  const messages = await rows('telephony', 'messages', Message);
  const employees = await rows('employee-records', 'employees', Employee);
  const stateJobs = await rows('directory', 'state-jobs', StateJob);
  const locations = await rows('crm', 'locations', Location);
  const comments = await rows('crm', 'comments', Comment);
  const users = await rows('directory', 'users', DirectoryUser);

  const texts = {
    leads: leads.map(({ TITLE }) => TITLE ?? ''),
    items: items.map(({ TITLE }) => TITLE ?? ''),
    messages: messages.map(({ text }) => text),
    employees: employees.map(({ company_email }) => company_email ?? ''),
  };
  const marks = Object.fromEntries(Object.entries(texts).map(([collection, all]) => [collection, countsOf(all)]));
  const seeded = seededEmployees(employees);
  const suspended = new Map(users.map(({ email, state }) => [email.toLowerCase(), state === 'SUSPENDED']));
  return {
    byType: new Map([
      ['leads created', countsOf(leads.flatMap(originOf))],
      ['phones added to leads', countsOf(leads.flatMap(phonesOf))],
      ['items created', countsOf(texts.items)],
      ['messages sent', countsOf(texts.messages)],
      ['employees created', countsOf(texts.employees.filter(email => email.startsWith('chaos.')))],
      ['employee records', countsOf(seeded)],
      ['state jobs scheduled', countsOf(stateJobs.map(job => Object.values(job).join(' ')))],
      ['locations added', countsOf(locations.flatMap(({ UF_CRM_8_PORTAL_ID: id }) => (id ? [id] : [])))],
      ['notes written', countsOf(comments.map(noteOf))],
    ]),
    countOf: ({ collection, text }) => marks[collection]?.get(text) ?? 0,
    leads: new Map(leads.map(lead => [lead.ID, lead])),
    employees: new Set(seeded),
    isSuspended: email => suspended.get(email) ?? true,
  };
}

/** Only leads that the service created have an origin. */
const originOf = ({ ORIGINATOR_ID, ORIGIN_ID }: Lead): string[] =>
  ORIGINATOR_ID && ORIGIN_ID ? [`${ORIGINATOR_ID} ${ORIGIN_ID}`] : [];

const phonesOf = ({ ID, PHONE }: Lead): string[] => (PHONE ?? []).map(({ VALUE }) => `${ID} ${VALUE}`);

/** Without names of records, which a restored employee does not keep; the manager is named by the person. */
function seededEmployees(employees: readonly Employee[]): string[] {
  const personOf = (employee: Employee | undefined) =>
    employee &&
    [employee.first_name, employee.last_name, employee.date_of_birth, employee.date_of_joining]
      .filter(Boolean)
      .join(' ');
  const byName = new Map(employees.map(employee => [employee.name, employee]));
  return employees
    .filter(({ company_email: email }) => !email?.startsWith('chaos.'))
    .map(employee => {
      const manager = personOf(byName.get(employee.reports_to ?? '')) ?? 'nobody';
      const status = employee.status === 'Left' ? 'left' : 'current';
      return `${personOf(employee)}, ${status}, reports to ${manager}, ${employee.education.length} schools`;
    });
}

/** The note of a day is one effect: its text changes during the day. */
const noteOf = ({ ENTITY_ID, COMMENT }: z.infer<typeof Comment>): string => {
  const [title = ''] = COMMENT.split('\n');
  return `${ENTITY_ID} ${title.startsWith('Portal activity on') ? title.trim() : COMMENT}`;
};

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Effects that occur more than once, and more often than before the run. */
export function repeatedEffects(before: EffectCounts, after: EffectCounts): string[] {
  return [...after]
    .filter(([key, times]) => times > 1 && times > (before.get(key) ?? 0))
    .map(([key, times]) => `${times} times: ${key}`);
}

/** Number of effects of the run. */
export function countSince(before: EffectCounts, after: EffectCounts): number {
  const sum = (counts: EffectCounts) => [...counts.values()].reduce((total, times) => total + times, 0);
  return sum(after) - sum(before);
}
