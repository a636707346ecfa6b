/** Puts the enquiry of an event into the CRM, once for each enquiry, in whatever order its events arrive. */
import { type Enquiry, type LeadServices, takeEnquiry } from '../../core/domain/leads/create-lead.ts';
import type { EnquiryEvent, PortalEvents, TakenLead } from '../../core/domain/portal-events/portal-events.ts';
import type { PortalEnquiry } from '../../core/integrations/listing-portal/event.ts';
import type { Agents } from './agents.ts';

export interface TakeContext extends LeadServices {
  events: PortalEvents;
  agents: Agents;
}

type Outcome = 'created' | 'updated' | 'matched';

/** Events of one enquiry are serialized. */
export function takeEvent(context: TakeContext, event: EnquiryEvent): Promise<Outcome> {
  const { effects, events, agents } = context;
  const lease = { keys: [`portal-lead:${event.entityId}`], kind: 'portal-lead', system: 'crm' };
  return effects.exclusively(lease, async () => {
    const known = await events.leadOf(event.entityId);
    if (known) {
      const userId = known.occurredAt < event.occurredAt ? await followPortal(context, event, known) : known.userId;
      await events.settle(event.id, { leadId: known.leadId, userId });
      return userId === known.userId ? 'matched' : 'updated';
    }
    const userId = (await agents.agentOf(event.enquiry)) ?? null;
    const taken = await takeEnquiry(context, `listing-portal:${event.entityId}`, enquiryOf(event.enquiry, userId));
    const isNew = taken.duplicateOf === null;
    await events.settle(event.id, { leadId: taken.id, userId: isNew ? userId : null });
    return isNew ? 'created' : 'updated';
  });
}

/** Assigns the lead as the portal does, unless a person has assigned it in the CRM. @returns the assigned user */
async function followPortal(
  { crm, agents }: TakeContext,
  { type, enquiry }: EnquiryEvent,
  { leadId, userId }: TakenLead,
): Promise<number | null> {
  if (type !== 'lead.assigned' || userId === null) return userId;
  const agent = await agents.agentOf(enquiry);
  if (agent === undefined || agent === userId) return userId;
  if ((await crm.leads.get(leadId))?.assignedUserId !== userId) return userId;
  await crm.leads.update(leadId, { assignedUserId: agent });
  return agent;
}

function enquiryOf({ name, listingReference, ...enquiry }: PortalEnquiry, userId: number | null): Enquiry {
  const [firstName = '', ...others] = name?.split(/\s+/) ?? [];
  const about = listingReference === null ? '' : `, listing ${listingReference}`;
  const answer = enquiry.responseLink && `Answer: ${enquiry.responseLink}`;
  return {
    title: `Listing portal: ${name ?? 'enquiry'}${about}`,
    firstName,
    lastName: others.join(' '),
    phones: enquiry.phones,
    emails: enquiry.emails,
    source: 'WEB',
    sourceDescription: `Listing portal${enquiry.channel === null ? '' : `, ${enquiry.channel}`}${about}`,
    comments: answer ?? undefined,
    assignedUserId: userId ?? undefined,
    place: `the listing portal${about}`,
  };
}
