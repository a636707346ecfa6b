/** Changes some leads of the CRM: only what they do not have yet is sent, so that no phone is added again. */
import type { LeadServices } from '../../core/domain/leads/create-lead.ts';
import { diffLead, leadContacts } from '../../core/domain/leads/diff.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import {
  addsContacts,
  type Lead,
  type LeadChange,
  type LeadOutcome,
} from '../../core/integrations/crm/leads.ts';
import type { ReportWriter } from '../../core/sync/report.ts';
import type { LeadResult, LeadStep } from './contract.ts';

export interface WantedChange {
  id: number;
  change: LeadChange;
  /** Its phones are added also where the lead has them in another spelling. */
  respells?: boolean;
}

type Leads = ReadonlyMap<number, Lead>;

/**
 * @param seen the leads as they were just now; those that the CRM does not have are missing
 * @returns a step for each change, in order
 */
export async function changeLeads(
  { crm, effects }: LeadServices,
  wanted: readonly WantedChange[],
  seen?: Leads,
): Promise<LeadStep[]> {
  const changes = openChanges(crm, wanted);
  const adding = wanted.filter(({ change }) => addsContacts(change)).map(({ id }) => id);
  if (adding.length > 0) {
    const { findLack, send } = changes;
    await effects.appendMissing({ ...leadContacts(adding), findMissing: findLack, append: send });
  } else {
    const lack = await changes.findLack(seen);
    if (lack) await changes.send(lack);
  }
  return wanted.map(({ id }) => changes.stepOf(id));
}

interface Sent {
  fields: ReadonlySet<string>;
  /** Undefined: no answer came; the lead was then found to have it. */
  outcome: LeadOutcome | undefined;
}

/** Remembers what was there and what was sent, because an answer may be lost and the leads be read again. */
function openChanges(crm: Crm, wanted: readonly WantedChange[]) {
  let leads: Leads = new Map();
  const sent = new Map<number, Sent>();
  const fieldsOf = (id: number) => sent.get(id)?.fields ?? [];
  return {
    /** @param seen absent: the leads are read */
    async findLack(seen?: Leads): Promise<WantedChange[] | undefined> {
      leads = seen ?? (await crm.leads.getMany(wanted.map(({ id }) => id)));
      const lack = wanted.flatMap(one => lackOf(leads.get(one.id), one));
      return lack.length > 0 ? lack : undefined;
    },

    async send(lack: readonly WantedChange[]): Promise<void> {
      for (const { id, change } of lack)
        sent.set(id, { fields: new Set([...fieldsOf(id), ...Object.keys(change)]), outcome: undefined });
      for (const outcome of await crm.leads.updateMany(lack))
        sent.set(outcome.id, { fields: new Set(fieldsOf(outcome.id)), outcome });
    },

    stepOf: (id: number): LeadStep => (leads.has(id) ? stepFor(sent.get(id)) : notThere()),
  };
}

function lackOf(lead: Lead | undefined, { id, change, respells }: WantedChange): WantedChange[] {
  const lack = lead ? diffLead(lead, change, respells) : {};
  return Object.keys(lack).length > 0 ? [{ id, change: lack }] : [];
}

function stepFor(sent: Sent | undefined): LeadStep {
  if (!sent) return stepOf('same');
  const { outcome, fields } = sent;
  if (outcome?.outcome === 'not-found') return notThere();
  if (outcome?.outcome === 'refused')
    return stepOf('failed', [], `The CRM does not accept this: ${outcome.reason}`);
  return stepOf('updated', [...fields]);
}

const notThere = () => stepOf('not-found', [], 'The CRM has no such lead.');

export const stepOf = (
  outcome: LeadStep['outcome'],
  fields: string[] = [],
  reason: string | null = null,
): LeadStep => ({ outcome, fields, leftOut: [], reason });

export function tellLead(report: ReportWriter, { id, update, enrichment }: LeadResult): void {
  const steps = [update, enrichment].filter(step => step !== null);
  report.count('read');
  const wrong = steps.find(({ outcome }) => outcome === 'failed' || outcome === 'not-found');
  if (wrong) {
    const reason =
      wrong === enrichment && update ? `${wrong.reason} (enrichment; ${said(update)})` : wrong.reason;
    report.count('failed');
    report.row({ key: String(id), outcome: 'failed', reason: reason ?? '' });
  } else if (steps.some(({ outcome }) => outcome === 'updated')) {
    report.count('updated');
    report.row({
      key: String(id),
      outcome: 'updated',
      reason: [update && `update: ${said(update)}`, enrichment && `enrichment: ${said(enrichment)}`]
        .filter(Boolean)
        .join('; '),
    });
  } else report.count('matched');
}

const said = ({ fields }: LeadStep): string => (fields.length > 0 ? fields.join(', ') : 'nothing to change');
