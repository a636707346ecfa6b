/** Creates leads in the CRM once each, and finds out whether the person has one already. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import type { Crm } from '../../integrations/crm/client.ts';
import { type Lead, NewLead } from '../../integrations/crm/leads.ts';

/** What the CRM keeps with a lead that we made, so that it can be found again. */
const originatorId = 'portal-service';

/** What is left out or undefined the CRM fills in by its own rules. */
export type LeadDraft = { title: string } & {
  [Field in keyof Omit<NewLead, 'title' | 'originatorId' | 'originId'>]: NewLead[Field] | undefined;
};

export interface LeadParts {
  crm: Crm;
  effects: Effects;
}

/**
 * @param key what makes it the same lead, such as a client and its `Idempotency-Key`
 * @returns the lead's id in the CRM
 */
export async function createLeadOnce(
  { crm, effects }: LeadParts,
  key: string,
  lead: LeadDraft,
): Promise<number> {
  const originId = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const { result } = await effects.once({
    key: `lead:${originId}`,
    kind: 'lead-created',
    system: 'crm',
    result: z.object({ leadId: z.int() }),
    lookUp: async () => {
      const leadId = await crm.leads.findByOrigin({ originatorId, originId });
      return leadId === undefined ? undefined : { leadId };
    },
    act: async () => ({
      leadId: await crm.leads.add(NewLead.parse({ ...lead, originatorId, originId })),
    }),
  });
  return result.leadId;
}

/** The newest open lead with one of the phones (E.164) or e-mails. */
export async function findOpenLead(
  crm: Crm,
  contacts: { phones: string[]; emails: string[] },
): Promise<Lead | undefined> {
  const { leads } = await crm.leads.duplicates(contacts);
  const found = [...(await crm.leads.getMany(leads)).values()];
  return found
    .filter(({ outcome }) => outcome === 'open')
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime())[0];
}
