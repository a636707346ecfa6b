/** Carries a step out in the CRM; done again after a kill it ends the same. */
import { z } from 'zod';
import { diffLead, leadContacts } from '../../core/domain/leads/diff.ts';
import type { Effects } from '../../core/effects/ledger.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import type { LeadChange } from '../../core/integrations/crm/leads.ts';
import type { createEventLeads } from './event-leads.ts';
import type { Details, Step } from './plan.ts';

/** What the CRM keeps with each lead, so that it can be found again. */
const originatorId = 'eventbrite';

export interface ApplyParts {
  crm: Crm;
  effects: Effects;
  eventLeads: ReturnType<typeof createEventLeads>;
}

type Doing<D extends Step['do']> = Extract<Step, { do: D }>;

export async function createLead(
  parts: ApplyParts,
  { guest, tickets, details }: Doing<'create'>,
): Promise<void> {
  const { crm, effects, eventLeads } = parts;
  const { key, event } = guest;
  const { result } = await effects.once({
    key: `event-lead:${key}`,
    kind: 'lead-created',
    system: 'crm',
    result: z.object({ leadId: z.int() }),
    find: async () => {
      const leadId = await crm.leads.findByOrigin({ originatorId, originId: key });
      return leadId === undefined ? undefined : { leadId };
    },
    execute: async () => ({
      leadId: await crm.leads.add({
        title: `${event.name}: ${nameOf(details)}`,
        ...personOf(details),
        source: 'WEB',
        sourceDescription: `Event ${event.id}: ${event.name}`,
        originatorId,
        originId: key,
      }),
    }),
  });
  await eventLeads.put({ key, leadId: result.leadId, tickets });
}

/** @returns false when the CRM no longer has the lead */
export async function updateLead(parts: ApplyParts, step: Doing<'update'>): Promise<boolean> {
  const { leadId, guest, tickets } = step;
  if (!(await parts.crm.leads.get(leadId))) return false;
  if (step.details) await tellDetails(parts, leadId, personOf(step.details));
  if (step.ended) await noteEnd(parts, step, step.ended);
  await parts.eventLeads.put({ key: guest.key, leadId, tickets });
  return true;
}

/** The CRM adds the phones and e-mails it is given to those it has. */
function tellDetails({ crm, effects }: ApplyParts, leadId: number, person: LeadChange): Promise<void> {
  return effects.appendMissing({
    ...leadContacts([leadId]),
    findMissing: async () => {
      const lead = await crm.leads.get(leadId);
      const lack = lead ? diffLead(lead, person) : {};
      return Object.keys(lack).length > 0 ? lack : undefined;
    },
    append: async lack => void (await crm.leads.update(leadId, lack)),
  });
}

function noteEnd({ crm, effects }: ApplyParts, { leadId, guest, tickets }: Doing<'update'>, ended: string) {
  const text = `Event ${guest.event.name}: the tickets were ${ended}.`;
  return effects.once({
    // A guest may book again, and give that back as well.
    key: `event-end:${guest.key}:${tickets
      .map(ticket => ticket.attendeeId)
      .sort()
      .join()}`,
    kind: 'lead-comment',
    system: 'crm',
    result: z.object({ commentId: z.int() }),
    find: async () => {
      const comments = await crm.leads.comments(leadId);
      const found = comments.find(comment => comment.text === text);
      return found && { commentId: found.id };
    },
    execute: async () => ({ commentId: await crm.leads.addComment(leadId, text) }),
  });
}

const nameOf = ({ firstName, lastName }: Details): string => `${firstName} ${lastName}`.trim() || 'a guest';

const personOf = ({ firstName, lastName, email, phone }: Details) => ({
  firstName,
  lastName,
  phones: phone === null ? [] : [phone],
  emails: email === null ? [] : [email],
});
