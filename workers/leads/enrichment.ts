/** What enrichment says of a lead, worked out from what was found: no calls, no clock. */
import { findPhoneNumbersInText } from 'libphonenumber-js';
import type { DncStatus } from '../../core/domain/telephony/dnc-status.ts';
import type { ActivityPage } from '../../core/integrations/activity-log/system.ts';
import type { Lead } from '../../core/integrations/crm/leads.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import { dubaiDayOf } from '../../core/values/dubai-time.ts';
import { parsePhoneNumber } from '../../core/values/phone-number.ts';

/** ISO 3166-1 code of the first number that tells one. */
export const countryOf = ({ phones }: Pick<Lead, 'phones'>): string | undefined =>
  phones.map(phone => parsePhoneNumber(phone)?.country).find(country => country !== undefined);

/** The gravest of a lead's numbers: one that must not be called makes the lead one that must not be. */
export function dncOf(statuses: readonly DncStatus['status'][]): DncStatus['status'] | undefined {
  return (['listed', 'unknown', 'clear'] as const).find(status => statuses.includes(status));
}

/** What was written by or about the lead, without the lead's own name: people are called Marina as well. */
export function leadText(lead: Lead): string {
  const { campaign, term, content } = lead.utm;
  const texts = [
    titleWithoutName(lead),
    lead.comments?.replace(/<[^>]*>/g, ' '),
    lead.sourceDescription,
    lead.page,
  ];
  const words = [campaign, term, content].map(text => text?.replace(/[_+-]+/g, ' '));
  return [...texts, ...words].filter(Boolean).join('\n');
}

/** The name wherever it stands whole, and single names of it where the title begins. */
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
 * The active CRM user whose e-mail or phone stands in the lead's text, such as the agent of a listing that was asked
 * about; else whom the lead is assigned to.
 */
export function agentOf(lead: Lead, users: readonly CrmUser[]): CrmUser | undefined {
  const text = leadText(lead);
  const active = users.filter(user => user.active);
  const emails = new Set(text.toLowerCase().match(/[^\s<>"'():;,]+@[^\s<>"'():;,]+\w/g));
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

const mostActions = 5;

/**
 * Such as `34 actions, last on 2026-05-28: listing viewed 21, search made 8`; undefined when there are none. Of all that
 * there is, not of the last days: it changes when something happens, not because a day has passed.
 */
export function activitySummary({ total, activities }: ActivityPage): string | undefined {
  const [latest] = activities;
  if (!latest) return undefined;
  const counts = new Map<string, number>();
  for (const { action } of activities) counts.set(action, (counts.get(action) ?? 0) + 1);
  const ranked = [...counts].sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
  const actions = ranked
    .slice(0, mostActions)
    .map(([action, count]) => `${action.replace(/[._]+/g, ' ')} ${count}`);
  const newest = total > activities.length ? ` (of the newest ${activities.length})` : '';
  return `${total} ${total === 1 ? 'action' : 'actions'}, last on ${dubaiDayOf(latest.at)}: ${actions.join(', ')}${newest}`;
}
