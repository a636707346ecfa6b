/** Updates CRM leads. Sends only fields that still differ, because the CRM adds a phone again each time it is sent. */
import type { LeadServices } from '../../core/domain/leads/create-lead.ts';
import { diffLead, leadContacts } from '../../core/domain/leads/diff.ts';
import { addsContacts, type Lead, type LeadChange, type LeadOutcome } from '../../core/integrations/crm/leads.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import type { ReportWriter } from '../../core/sync/report.ts';
import type { LeadResult, LeadStep } from './contract.ts';

interface WantedChange {
  id: number;
  change: LeadChange;
  /** True to add phones that the lead has only in another spelling. */
  respells?: boolean;
}

type Leads = ReadonlyMap<number, Lead>;

/** Leads as just read, without those that do not exist, and why others could not be read. */
interface SeenLeads {
  leads: Leads;
  refused: ReadonlyMap<number, string>;
}

export interface ChangeServices extends LeadServices {
  dryRun: boolean;
}

/**
 * @returns one step for each change, in order
 */
export async function changeLeads(
  { crm, effects, dryRun }: ChangeServices,
  wanted: readonly WantedChange[],
  seen?: SeenLeads,
): Promise<LeadStep[]> {
  const changes = openChanges(crm, wanted);
  const adding = wanted.filter(({ change }) => addsContacts(change)).map(({ id }) => id);
  if (dryRun) changes.mark((await changes.findMissing(seen)) ?? []);
  else if (adding.length > 0) {
    const { findMissing, send } = changes;
    await effects.appendMissing({ ...leadContacts(adding), findMissing, append: send });
  } else {
    const missing = await changes.findMissing(seen);
    if (missing) await changes.send(missing);
  }
  return wanted.map(({ id }) => changes.stepOf(id));
}

interface Sent {
  fields: ReadonlySet<string>;
  /** Undefined in a dry run, and if the response was lost and the lead was then found to have the fields. */
  outcome: LeadOutcome | undefined;
}

/** Remembers the leads read and the fields sent: after a lost response the leads are read again. */
function openChanges(crm: Crm, wanted: readonly WantedChange[]) {
  let { leads, refused }: SeenLeads = { leads: new Map(), refused: new Map() };
  const sent = new Map<number, Sent>();
  const fieldsOf = (id: number) => sent.get(id)?.fields ?? [];
  const mark = (changes: readonly WantedChange[]) => {
    for (const { id, change } of changes)
      sent.set(id, { fields: new Set([...fieldsOf(id), ...Object.keys(change)]), outcome: undefined });
  };
  return {
    mark,

    /** @param seen if absent, the leads are read */
    async findMissing(seen?: SeenLeads): Promise<WantedChange[] | undefined> {
      ({ leads, refused } = seen ?? (await readLeads(crm, wanted)));
      const missing = wanted.flatMap(one => missingOf(leads.get(one.id), one));
      return missing.length > 0 ? missing : undefined;
    },

    async send(changes: readonly WantedChange[]): Promise<void> {
      mark(changes);
      for (const outcome of await crm.leads.updateMany(changes))
        sent.set(outcome.id, { fields: new Set(fieldsOf(outcome.id)), outcome });
    },

    stepOf(id: number): LeadStep {
      if (leads.has(id)) return stepFor(sent.get(id));
      const reason = refused.get(id);
      return reason === undefined ? notFound() : notReadable(reason);
    },
  };
}

async function readLeads(crm: Crm, wanted: readonly WantedChange[]): Promise<SeenLeads> {
  const refused = new Map<number, string>();
  const ids = wanted.map(({ id }) => id);
  return { leads: await crm.leads.getMany(ids, (id, reason) => refused.set(id, reason)), refused };
}

function missingOf(lead: Lead | undefined, { id, change, respells }: WantedChange): WantedChange[] {
  const missing = lead ? diffLead(lead, change, respells) : {};
  return Object.keys(missing).length > 0 ? [{ id, change: missing }] : [];
}

function stepFor(sent: Sent | undefined): LeadStep {
  if (!sent) return stepOf('same');
  const { outcome, fields } = sent;
  if (outcome?.outcome === 'not-found') return notFound();
  if (outcome?.outcome === 'rejected') return stepOf('failed', [], `The CRM does not accept this: ${outcome.reason}`);
  return stepOf('updated', [...fields]);
}

const notReadable = (reason: string) => stepOf('failed', [], `The lead could not be read: ${reason}`);

const notFound = () => stepOf('not-found', [], 'The CRM has no such lead.');

export const stepOf = (
  outcome: LeadStep['outcome'],
  fields: string[] = [],
  reason: string | null = null,
): LeadStep => ({ outcome, fields, leftOut: [], reason });

export function reportLead(report: ReportWriter, { id, update, enrichment }: LeadResult): void {
  const steps = [update, enrichment].filter(step => step !== null);
  report.count('read');
  const wrong = steps.find(({ outcome }) => outcome === 'failed' || outcome === 'not-found');
  if (wrong) {
    const reason =
      wrong === enrichment && update ? `${wrong.reason} (enrichment; ${fieldsText(update)})` : wrong.reason;
    report.countRow({ key: String(id), outcome: 'failed', reason: reason ?? '' });
  } else if (steps.some(({ outcome }) => outcome === 'updated')) {
    report.countRow({
      key: String(id),
      outcome: 'updated',
      reason: [update && `update: ${fieldsText(update)}`, enrichment && `enrichment: ${fieldsText(enrichment)}`]
        .filter(Boolean)
        .join('; '),
    });
  } else report.count('matched');
}

const fieldsText = ({ fields }: LeadStep): string => (fields.length > 0 ? fields.join(', ') : 'no change');
