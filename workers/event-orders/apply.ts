/** Applies a step to the CRM; may be repeated after a kill. */
import { addLeadOnce, commentOnce, type LeadServices } from '../../core/domain/leads/create-lead.ts';
import { diffLead, leadContacts } from '../../core/domain/leads/diff.ts';
import type { LeadChange } from '../../core/integrations/crm/leads.ts';
import { type RowContext, unlessRejected } from '../../core/sync/rejected-row.ts';
import type { ReportWriter } from '../../core/sync/report.ts';
import type { createEventLeads } from './event-leads.ts';
import type { Details, Step } from './plan.ts';

/** Stored with each created lead, so that a retry can find it. */
const originatorId = 'eventbrite';

export interface ApplyContext extends RowContext, LeadServices {
  eventLeads: ReturnType<typeof createEventLeads>;
}

type StepOf<D extends Step['do']> = Extract<Step, { do: D }>;

/** A rejected guest is reported and does not stop the run. */
export async function applyStep(context: ApplyContext, step: Step): Promise<void> {
  const { report } = context;
  const { key } = step.guest;
  if (step.do === 'nothing') {
    report.count(step.reason === 'unchanged' ? 'matched' : 'skipped');
    return;
  }
  await unlessRejected(key, context, async () => {
    if (step.do === 'create') {
      await createLead(context, step);
      report.count('created');
    } else if (await updateLead(context, step)) report.count('updated');
    else {
      const reason = `The CRM no longer has lead ${step.leadId}.`;
      report.countRow({ key, outcome: 'skipped', reason });
    }
  });
}

/** Reports a step of a dry run. */
export function previewStep({ do: what, guest }: Step, report: ReportWriter): void {
  if (what === 'nothing') {
    report.count('matched');
    return;
  }
  const reason = `${guest.tickets.length} tickets of event ${guest.event.id}`;
  report.countRow({ key: guest.key, outcome: what === 'create' ? 'created' : 'updated', reason });
}

async function createLead(context: ApplyContext, { guest, tickets, details }: StepOf<'create'>): Promise<void> {
  const { key, event } = guest;
  const leadId = await addLeadOnce(
    context,
    `event-lead:${key}`,
    { originatorId, originId: key },
    {
      title: `${event.name}: ${nameOf(details)}`,
      ...personOf(details),
      source: 'WEB',
      sourceDescription: `Event ${event.id}: ${event.name}`,
    },
  );
  await context.eventLeads.put({ key, leadId, tickets });
}

/** @returns false if the CRM no longer has the lead */
async function updateLead(context: ApplyContext, step: StepOf<'update'>): Promise<boolean> {
  const { leadId, guest, tickets } = step;
  if (!(await context.crm.leads.get(leadId))) return false;
  if (step.details) await updateDetails(context, leadId, personOf(step.details));
  if (step.ended) await commentEnd(context, step, step.ended);
  await context.eventLeads.put({ key: guest.key, leadId, tickets });
  return true;
}

/** Through the ledger, because the CRM adds phones and e-mails each time they are sent. */
function updateDetails({ crm, effects }: ApplyContext, leadId: number, person: LeadChange): Promise<void> {
  return effects.appendMissing({
    ...leadContacts([leadId]),
    findMissing: async () => {
      const lead = await crm.leads.get(leadId);
      const missing = lead ? diffLead(lead, person) : {};
      return Object.keys(missing).length > 0 ? missing : undefined;
    },
    append: async missing => void (await crm.leads.update(leadId, missing)),
  });
}

function commentEnd(context: ApplyContext, { leadId, guest, tickets }: StepOf<'update'>, ended: string) {
  const text = `Event ${guest.event.name}: the tickets were ${ended}.`;
  // With the tickets, because a guest may book again and give those back too.
  const ids = tickets.map(ticket => ticket.attendeeId).sort();
  return commentOnce(context, `event-end:${guest.key}:${ids.join()}`, { leadId, text });
}

const nameOf = ({ firstName, lastName }: Details): string => `${firstName} ${lastName}`.trim() || 'a guest';

const personOf = ({ firstName, lastName, email, phone }: Details) => ({
  firstName,
  lastName,
  phones: phone === null ? [] : [phone],
  emails: email === null ? [] : [email],
});
