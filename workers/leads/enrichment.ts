/** Derives the enriched fields of a lead from the data found. Pure functions: no calls, no clock. */
import { findPhoneNumbersInText } from 'libphonenumber-js';
import type { DncStatus } from '../../core/domain/telephony/dnc-status.ts';
import type { ActivityPage } from '../../core/integrations/activity-log/system.ts';
import type { Lead } from '../../core/integrations/crm/leads.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import { dubaiDayOf } from '../../core/values/dubai-time.ts';
import { parsePhoneNumber } from '../../core/values/phone-number.ts';

/** ISO 3166-1 code of the first number with a country. */
export const countryOf = ({ phones }: Pick<Lead, 'phones'>): string | undefined =>
  phones.map(phone => parsePhoneNumber(phone)?.country).find(country => country !== undefined);

/** The strictest status of a lead's numbers: one listed number makes the lead listed. */
export function dncOf(statuses: readonly DncStatus['status'][]): DncStatus['status'] | undefined {
  return (['listed', 'unknown', 'clear'] as const).find(status => statuses.includes(status));
}

/** All text of the lead, without the person's name: Marina is a name and a place. */
export function leadText(lead: Lead): string {
  const { campaign, term, content } = lead.utm;
  const texts = [titleWithoutName(lead), lead.comments?.replace(/<[^<>]*>/g, ' '), lead.sourceDescription, lead.page];
  const words = [campaign, term, content].map(text => text?.replace(/[_+-]+/g, ' '));
  return [...texts, ...words].filter(Boolean).join('\n');
}

/** Removes the full name anywhere, and first or last name at the start of the title. */
function titleWithoutName({ title, firstName, lastName }: Lead): string {
  const names = [firstName, lastName].flatMap(name => name?.toLowerCase().split(/\s+/).filter(Boolean) ?? []);
  if (names.length === 0) return title;
  const words = title.split(/\s+/);
  const isName = (word: string | undefined) =>
    names.includes(word?.toLowerCase().replace(/[^\p{L}\p{N}-]/gu, '') ?? '');
  const begins = words.findIndex(word => !isName(word));
  return words
    .slice(begins === -1 ? words.length : begins)
    .join(' ')
    .replaceAll([firstName, lastName].filter(Boolean).join(' '), '');
}

/**
 * The active CRM user whose e-mail or phone is in the lead's text, such as the agent of the requested listing; otherwise
 * the assigned user, if active.
 */
export function agentOf(lead: Lead, users: readonly CrmUser[]): CrmUser | undefined {
  const text = leadText(lead);
  const active = users.filter(user => user.active);
  const emails = new Set(text.toLowerCase().match(/[^\s<>"'():;,@]{1,64}@[^\s<>"'():;,@]{1,253}\w/g));
  const phones = new Set<string>(findPhoneNumbersInText(text, 'AE').map(({ number }) => number.number));
  return (
    active.find(({ email }) => email !== null && emails.has(email.toLowerCase())) ??
    (phones.size > 0 ? active : []).find(user =>
      user.phones.some(phone => phones.has(parsePhoneNumber(phone)?.number ?? '')),
    ) ??
    active.find(({ id }) => id === lead.assignedUserId)
  );
}

export const agentText = ({ id, name }: CrmUser): string => `${name} (${id})`;

const maxActions = 5;

/**
 * Such as `34 actions, last on 2026-05-28: listing viewed 21, search made 8`; undefined without activity. Covers all
 * activity, not the last days, so that it changes only with new activity.
 */
export function activitySummary({ total, activities }: ActivityPage): string | undefined {
  const [latest] = activities;
  if (!latest) return undefined;
  const counts = new Map<string, number>();
  for (const { action } of activities) counts.set(action, (counts.get(action) ?? 0) + 1);
  const ranked = [...counts].sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
  const actions = ranked.slice(0, maxActions).map(([action, count]) => `${action.replace(/[._]+/g, ' ')} ${count}`);
  const newest = total > activities.length ? ` (of the newest ${activities.length})` : '';
  return `${total} ${total === 1 ? 'action' : 'actions'}, last on ${dubaiDayOf(latest.at)}: ${actions.join(', ')}${newest}`;
}
