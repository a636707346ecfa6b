/** Groups a day's log entries by person, and formats the text of a note. */
import type { Activity } from '../../core/integrations/activity-log/system.ts';
import { dubaiTimeOf } from '../../core/values/dubai-time.ts';
import { toE164 } from '../../core/values/phone-number.ts';

/** A person who may be a lead. */
export interface Visitor {
  /** Identifies the person: the e-mail, else the phone. */
  key: string;
  email: string | undefined;
  /** E.164. */
  phone: string | undefined;
}

/** Counts also the entries of staff, who have a CRM id, and those without e-mail and phone. */
export function visitsOf(activities: readonly Activity[]) {
  const visits = new Map<string, { visitor: Visitor; activities: Activity[] }>();
  let [staff, anonymous] = [0, 0];
  for (const activity of activities) {
    const email = activity.email ?? undefined;
    const phone = activity.phone === null ? undefined : toE164(activity.phone);
    const key = email ?? phone;
    if (activity.crmId !== null) staff += 1;
    else if (key === undefined) anonymous += 1;
    else {
      const visit = visits.get(key) ?? { visitor: { key, email, phone }, activities: [] };
      visit.visitor.phone ??= phone;
      visit.activities.push(activity);
      visits.set(key, visit);
    }
  }
  return { visits: [...visits.values()], staff, anonymous };
}

const maxNamed = 8;

/** @param part 1 for the day's first note @param activities at least one */
export function noteText(day: string, part: number, activities: readonly Activity[]): string {
  const times = activities.map(({ at }) => at.getTime());
  const [first, last] = [Math.min(...times), Math.max(...times)].map(time => dubaiTimeOf(new Date(time)));
  const count = activities.length === 1 ? '1 action' : `${activities.length} actions`;
  const when = first === last ? `at ${first}` : `between ${first} and ${last}`;
  const actions = countsText(activities.map(({ action }) => plainWords(action.replace(/[._]+/g, ' '))));
  const listings = countsText(activities.flatMap(({ listing }) => (listing === null ? [] : [plainWords(listing)])));
  return [
    noteTitle(day, part),
    `${count} ${when}: ${actions}`,
    ...(listings === '' ? [] : [`Listings: ${listings}`]),
  ].join('\n');
}

const longDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The first line of the note, unique on its lead: retries find the note by it. */
export function noteTitle(day: string, part: number): string {
  const title = `Portal activity on ${longDay.format(new Date(`${day}T00:00:00Z`))}`;
  return part === 1 ? title : `${title}, recorded later (${part - 1})`;
}

/** Such as `listing viewed 8, search made 1`, most frequent first. */
function countsText(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const ranked = [...counts].sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
  const more = ranked.length - maxNamed;
  const named = ranked.slice(0, maxNamed).map(([word, count]) => `${word} ${count}`);
  return [...named, ...(more > 0 ? [more === 1 ? '1 other' : `${more} others`] : [])].join(', ');
}

/** Removes brackets, which the CRM reads as markup. */
const plainWords = (text: string): string =>
  text
    .replace(/[\p{C}[\]<>]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(.{60}).*$/u, '$1');
