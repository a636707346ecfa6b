/** What of a wanted change a lead does not have yet: so that a change made twice changes nothing the second time. */
import { toE164 } from '../../core/phone-number.ts';
import type { Lead, LeadChange } from '../../core/systems/crm/leads.ts';

export function differences(lead: Lead, wanted: LeadChange): LeadChange {
  const { phones, emails, utm, amount, ...plain } = wanted;
  const change: LeadChange = Object.fromEntries(
    Object.entries(plain).filter(([name, value]) => !isSame(memberOf(lead, name), value)),
  );
  const newPhones = (phones ?? []).filter(phone => !lead.phones.includes(phone));
  const known = new Set(lead.emails.map(folded));
  const newEmails = (emails ?? []).filter(email => !known.has(folded(email)));
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
export const normalisedPhones = ({ phones }: Pick<Lead, 'phones'>): string[] =>
  [...new Set(phones.flatMap(phone => toE164(phone) ?? []))].filter(phone => !phones.includes(phone));

const folded = (email: string): string => email.trim().toLowerCase();

const memberOf = (of: object, name: string): unknown =>
  Object.entries(of).find(([member]) => member === name)?.[1];

/** The CRM knows no difference between an empty field, an empty text and a box that is not ticked. */
const isSame = (has: unknown, wanted: unknown): boolean => (has || null) === (wanted || null);
