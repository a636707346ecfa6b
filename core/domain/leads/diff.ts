/** What of a wanted change a lead does not have yet: so that a change made twice changes nothing the second time. */

import type { LeaseTarget } from '../../effects/lease.ts';
import type { Lead, LeadChange } from '../../integrations/crm/leads.ts';
import { toE164 } from '../../values/phone-number.ts';

/** @param respells whether phones are added that the lead has in another spelling only */
export function diffLead(lead: Lead, wanted: LeadChange, respells = false): LeadChange {
  const { phones = [], emails = [], utm, amount, ...plain } = wanted;
  const change: LeadChange = Object.fromEntries(
    Object.entries(plain).filter(([name, value]) => !isSame(memberOf(lead, name), value)),
  );
  const newPhones = newOf(phones, lead.phones, respells ? trimmed : numberOf);
  const newEmails = newOf(emails, lead.emails, folded);
  const newUtm = Object.fromEntries(
    Object.entries(utm ?? {}).filter(([name, value]) => !isSame(memberOf(lead.utm, name), value)),
  );
  return {
    ...change,
    ...(newPhones.length > 0 && { phones: newPhones }),
    ...(newEmails.length > 0 && { emails: newEmails }),
    ...(Object.keys(newUtm).length > 0 && { utm: newUtm }),
    ...(amount !== undefined && Number(amount ?? 0) !== Number(lead.amount) && { amount }),
  };
}

/** The numbers in E.164 that the lead has in another spelling only. */
export const missingE164Phones = ({ phones }: Pick<Lead, 'phones'>): string[] =>
  [...new Set(phones.flatMap(phone => toE164(phone) ?? []))].filter(phone => !phones.includes(phone));

/** Each once, in the first of its spellings. */
function newOf(
  wanted: readonly string[],
  held: readonly string[],
  sameness: (written: string) => string,
): string[] {
  const known = new Set(held.map(sameness));
  return wanted.filter(written => {
    const isNew = !known.has(sameness(written));
    known.add(sameness(written));
    return isNew;
  });
}

const trimmed = (written: string): string => written.trim();
const numberOf = (phone: string): string => toE164(phone) ?? trimmed(phone);
const folded = (email: string): string => trimmed(email).toLowerCase();

const memberOf = (of: object, name: string): unknown =>
  Object.entries(of).find(([member]) => member === name)?.[1];

/** The CRM knows no difference between an empty field, an empty text and a box that is not ticked. */
const isSame = (has: unknown, wanted: unknown): boolean => (has || null) === (wanted || null);

export const leadContacts = (leadIds: readonly number[]): LeaseTarget => ({
  keys: [...new Set(leadIds)].map(id => `lead-contacts:${id}`),
  kind: 'lead-contacts',
  system: 'crm',
});
