/** Creates CRM leads exactly once; an enquiry of a person with an open lead becomes a comment on that lead. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import { type Lead, NewLead } from '../../integrations/crm/leads.ts';
import type { Crm } from '../../integrations/crm/system.ts';
import { definitelyNotExecuted, UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { toE164 } from '../../values/phone-number.ts';

/** Stored with each created lead, so that a retry can find it. */
const originatorId = 'portal-service';

/** The CRM fills absent and undefined fields by its own rules. */
type LeadDraft = { title: string } & {
  [Field in keyof Omit<NewLead, 'title' | 'originatorId' | 'originId'>]: NewLead[Field] | undefined;
};

export interface LeadServices {
  crm: Crm;
  effects: Effects;
}

/** @param key identifies the lead, such as client and `Idempotency-Key` @returns the lead's id in the CRM */
export const createLeadOnce = (services: LeadServices, key: string, lead: LeadDraft): Promise<number> =>
  addLeadOnce(services, `lead:${originIdOf(key)}`, { originatorId, originId: originIdOf(key) }, NewLead.parse(lead));

const originIdOf = (key: string): string => hash('sha256', key).slice(0, 32);

/** @param origin stored with the lead; finds it after an attempt with an unknown outcome @returns the lead's id */
export async function addLeadOnce(
  { crm, effects }: LeadServices,
  key: string,
  origin: { originatorId: string; originId: string },
  lead: NewLead,
): Promise<number> {
  const { result } = await effects.once({
    key,
    kind: 'lead-created',
    system: 'crm',
    result: z.object({ leadId: z.int() }),
    find: async () => {
      const leadId = await crm.leads.findByOrigin(origin);
      return leadId === undefined ? undefined : { leadId };
    },
    execute: async () => ({ leadId: await crm.leads.add({ ...lead, ...origin }) }),
  });
  return result.leadId;
}

/** @param isSame finds the comment after an attempt with an unknown outcome */
export const commentOnce = (
  { crm, effects }: LeadServices,
  key: string,
  { leadId, text }: { leadId: number; text: string },
  isSame: (text: string) => boolean = found => found === text,
) =>
  effects.once({
    key,
    kind: 'lead-comment',
    system: 'crm',
    result: z.object({ commentId: z.int() }),
    find: async () => {
      const found = (await crm.leads.comments(leadId)).find(comment => isSame(comment.text));
      return found && { commentId: found.id };
    },
    execute: async () => ({ commentId: await crm.leads.addComment(leadId, text) }),
  });

interface Contacts {
  /** E.164. */
  phones: string[];
  emails: string[];
}

/** The newest open lead with one of the phones, else with one of the e-mails; and why it may not be the only one. */
export async function findOpenLead(
  crm: Crm,
  contacts: Contacts,
): Promise<{ open?: Lead | undefined; doubts: string[] }> {
  const { leads, doubts } = await findLeads(crm, contacts);
  return { open: openLeadOf(leads, contacts), doubts };
}

async function findLeads(crm: Crm, contacts: Contacts): Promise<{ leads: Lead[]; doubts: string[] }> {
  const doubts: string[] = [];
  const found = await unlessPermanent(doubts, 'The CRM’s leads of this person could not be looked up', async () => {
    const { leads } = await crm.leads.duplicates(contacts);
    return await crm.leads.getMany(leads, (id, reason) =>
      doubts.push(`Lead ${id} has the same phone or e-mail and could not be read: ${reason}`),
    );
  });
  return { leads: [...(found?.values() ?? [])], doubts };
}

function openLeadOf(leads: readonly Lead[], { phones }: Contacts): Lead | undefined {
  const hasPhone = (lead: Lead): number => Number(lead.phones.some(phone => phones.includes(toE164(phone) ?? phone)));
  return leads
    .filter(({ outcome }) => outcome === 'open')
    .sort((one, other) => hasPhone(other) - hasPhone(one) || other.createdAt.getTime() - one.createdAt.getTime())[0];
}

/** A later attempt would fail as well: an enquiry is then not lost, but becomes a new lead with a note. */
async function unlessPermanent<T>(doubts: string[], what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.transient || !definitelyNotExecuted(error)) throw error;
    if (error instanceof UpstreamError && error.failure.status === 401) throw error;
    doubts.push(`${what}: ${error.message}`);
    return undefined;
  }
}

/** The place where the person asked, such as `https://example.com/launch` or `the listing portal`. */
export type Enquiry = LeadDraft & Contacts & { place: string };

/**
 * Creates a lead, or a comment if the person has an open lead. Serializes the enquiries of a person, so that two concurrent
 * ones do not become two leads.
 * @param key identifies the enquiry: a repeated one returns the same lead, without a second comment
 */
export function takeEnquiry(
  services: LeadServices,
  key: string,
  { place, ...lead }: Enquiry,
): Promise<{ id: number; duplicateOf: number | null }> {
  const contacts = [...new Set([...lead.phones, ...lead.emails])];
  const keys = (contacts.length > 0 ? contacts : [key]).map(text => `enquiry-of:${hash('sha256', text)}`);
  return services.effects.exclusively({ keys, kind: 'enquiry', system: 'crm' }, async () => {
    const { leads, doubts } = await findLeads(services.crm, lead);
    const own = leads.find(found => found.originatorId === originatorId && found.originId === originIdOf(key));
    if (own) return { id: own.id, duplicateOf: null };
    const open = openLeadOf(leads, lead);
    const commented = open && {
      id: await unlessPermanent(doubts, `Lead ${open.id} of this person could not be commented on`, async () => {
        await commentEnquiry(services, key, open.id, commentOf(lead, place));
        return open.id;
      }),
    };
    if (commented?.id !== undefined) return { id: commented.id, duplicateOf: commented.id };
    return { id: await createLeadOnce(services, key, withNote(lead, doubts)), duplicateOf: null };
  });
}

/** @param doubts why the person may have a lead already: a note for the staff */
export const withNote = <L extends LeadDraft>(lead: L, doubts: readonly string[]): L =>
  doubts.length === 0 ? lead : { ...lead, comments: [lead.comments, ...doubts].filter(Boolean).join('\n') };

async function commentEnquiry(services: LeadServices, key: string, leadId: number, comment: string): Promise<void> {
  const marker = `Enquiry ${hash('sha256', key).slice(0, 12)}`;
  const text = `${comment}\n(${marker})`;
  await commentOnce(services, `enquiry:${key}`, { leadId, text }, found => found.includes(marker));
}

const commentOf = ({ comments, utm }: LeadDraft, place: string): string =>
  [`Asked again on ${place}.`, comments, utm?.campaign && `Campaign: ${utm.campaign}`].filter(Boolean).join('\n');
