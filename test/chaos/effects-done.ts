/** What the outside systems have to say at the end of a chaos run: each effect that was done, and how often. */
import { z } from 'zod';
import type { SandboxControl } from '../support/sandbox.ts';
import type { Mark } from './orders.ts';

/** The effects of one sort: what makes two of them the same → how often it was done. */
export type Done = ReadonlyMap<string, number>;

export interface EffectsDone {
  /** By sort. */
  sorts: ReadonlyMap<string, Done>;
  /** How often the effect with the mark was done. */
  marked(mark: Mark): number;
  leads: ReadonlyMap<number, Lead>;
  /** CRM ids of those whom the directory has suspended or no longer knows. */
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
const Employee = z.object({ name: z.string(), company_email: z.string().nullish() });
const StateJob = z.object({ systemUserId: z.string(), state: z.string(), scheduledDate: z.string() });
const DirectoryUser = z.object({ email: z.string(), state: z.string() });

const everything = 50_000;

export async function readEffects(sandbox: SandboxControl): Promise<EffectsDone> {
  const rows = async <Row extends z.ZodType>(system: string, collection: string, row: Row) => {
    const { count, latest } = await sandbox.rows(system, collection, everything);
    if (count > latest.length) throw new Error(`${system} has more ${collection} than can be looked at`);
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
  const marks = Object.fromEntries(Object.entries(texts).map(([place, all]) => [place, counted(all)]));
  const suspended = new Map(users.map(({ email, state }) => [email.toLowerCase(), state === 'SUSPENDED']));
  return {
    sorts: new Map([
      ['leads created', counted(leads.flatMap(originOf))],
      ['phones added to leads', counted(leads.flatMap(phonesOf))],
      ['items created', counted(texts.items)],
      ['messages sent', counted(texts.messages)],
      ['employees created', counted(texts.employees.filter(email => email.startsWith('chaos.')))],
      ['state jobs scheduled', counted(stateJobs.map(job => Object.values(job).join(' ')))],
      ['locations added', counted(locations.flatMap(({ UF_CRM_8_PORTAL_ID: id }) => (id ? [id] : [])))],
      ['notes written', counted(comments.map(noteOf))],
    ]),
    marked: ({ place, text }) => marks[place]?.get(text) ?? 0,
    leads: new Map(leads.map(lead => [lead.ID, lead])),
    isSuspended: email => suspended.get(email) ?? true,
  };
}

/** Those that were there before come from nowhere that we know of. */
const originOf = ({ ORIGINATOR_ID, ORIGIN_ID }: Lead): string[] =>
  ORIGINATOR_ID && ORIGIN_ID ? [`${ORIGINATOR_ID} ${ORIGIN_ID}`] : [];

const phonesOf = ({ ID, PHONE }: Lead): string[] => (PHONE ?? []).map(({ VALUE }) => `${ID} ${VALUE}`);

/** A day's note is the same one whatever it has come to say. */
const noteOf = ({ ENTITY_ID, COMMENT }: z.infer<typeof Comment>): string => {
  const [title = ''] = COMMENT.split('\n');
  return `${ENTITY_ID} ${title.startsWith('Portal activity on') ? title.trim() : COMMENT}`;
};

function counted(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** What was done more often than it had been before the run, and more than once; with how often. */
export function doneTwice(before: Done, after: Done): string[] {
  return [...after]
    .filter(([key, times]) => times > 1 && times > (before.get(key) ?? 0))
    .map(([key, times]) => `${times} times: ${key}`);
}

/** How many were done during the run. */
export function doneSince(before: Done, after: Done): number {
  const sum = (counts: Done) => [...counts.values()].reduce((total, times) => total + times, 0);
  return sum(after) - sum(before);
}
