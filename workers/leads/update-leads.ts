/** Changes some leads of the CRM: only what they do not have yet is sent. */
import type { Crm } from '../../core/systems/crm/client.ts';
import type { Lead, LeadChange } from '../../core/systems/crm/leads.ts';
import type { LeadStep } from './contract.ts';
import { differences } from './differences.ts';

export interface WantedChange {
  id: number;
  change: LeadChange;
}

/** @returns a step for each change, in order */
export async function updateLeads(crm: Crm, wanted: readonly WantedChange[]): Promise<LeadStep[]> {
  return await changeLeads(crm, wanted, await crm.leads.getMany(wanted.map(({ id }) => id)));
}

/** @param leads as they are now; those that the CRM does not have are missing */
export async function changeLeads(
  crm: Crm,
  wanted: readonly WantedChange[],
  leads: ReadonlyMap<number, Lead>,
): Promise<LeadStep[]> {
  const changes = wanted.map(({ id, change }) => {
    const lead = leads.get(id);
    return { id, isThere: lead !== undefined, change: lead ? differences(lead, change) : {} };
  });
  const outcomes = await crm.leads.updateMany(changes.filter(({ change }) => Object.keys(change).length > 0));
  const outcomeOf = new Map(outcomes.map(outcome => [outcome.id, outcome]));
  return changes.map(({ id, isThere, change }) => {
    if (!isThere) return stepOf('not-found', [], notThere);
    const fields = Object.keys(change);
    const outcome = outcomeOf.get(id);
    if (!outcome) return stepOf('same');
    if (outcome.outcome === 'refused')
      return stepOf('failed', [], `The CRM does not accept this: ${outcome.reason}`);
    return outcome.outcome === 'updated' ? stepOf('updated', fields) : stepOf('not-found', [], notThere);
  });
}

const notThere = 'The CRM has no such lead.';

export const stepOf = (
  outcome: LeadStep['outcome'],
  fields: string[] = [],
  reason: string | null = null,
): LeadStep => ({ outcome, fields, leftOut: [], reason });
