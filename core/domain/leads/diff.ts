/** The fields of a wanted change that a lead does not have yet, so that a repeated change changes nothing. */
import type { LeaseTarget } from '../../effects/lease.ts';
import type { Lead, LeadChange } from '../../integrations/crm/leads.ts';
import { toE164 } from '../../values/phone-number.ts';

/** @param respells true to add phones that the lead has only in another spelling */
export function diffLead(lead: Lead, wanted: LeadChange, respells = false): LeadChange {
  const { phones = [], emails = [], utm, amount, ...plain } = wanted;
  const change: LeadChange = Object.fromEntries(
    Object.entries(plain).filter(([name, value]) => !isSame(memberOf(lead, name), value)),
  );
  const newPhones = newOf(phones, lead.phones, respells ? trimmed : numberOf);
  const newEmails = newOf(emails, lead.emails, lowerCase);
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

/** The E.164 form of phones that the lead has only in other spellings. */
export const missingE164Phones = ({ phones }: Pick<Lead, 'phones'>): string[] =>
  [...new Set(phones.flatMap(phone => toE164(phone) ?? []))].filter(phone => !phones.includes(phone));

/** The lease that serializes the additions of phones and e-mails to leads. */
export const leadContacts = (leadIds: readonly number[]): LeaseTarget => ({
  keys: [...new Set(leadIds)].map(id => `lead-contacts:${id}`),
  kind: 'lead-contacts',
  system: 'crm',
});

/** Without duplicates; the first spelling of each is returned. */
function newOf(wanted: readonly string[], present: readonly string[], keyOf: (text: string) => string): string[] {
  const known = new Set(present.map(keyOf));
  return wanted.filter(text => {
    const isNew = !known.has(keyOf(text));
    known.add(keyOf(text));
    return isNew;
  });
}

const trimmed = (text: string): string => text.trim();
const numberOf = (phone: string): string => toE164(phone) ?? trimmed(phone);
const lowerCase = (email: string): string => trimmed(email).toLowerCase();

const memberOf = (of: object, name: string): unknown => Object.entries(of).find(([member]) => member === name)?.[1];

/** The CRM does not distinguish an empty field, an empty text and a false flag. */
const isSame = (present: unknown, wanted: unknown): boolean => (present || null) === (wanted || null);
