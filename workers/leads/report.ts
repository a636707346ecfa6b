/** Tells in a run's report what came of a lead: once, whatever was done with it. */
import type { ReportWriter } from '../../core/sync/report.ts';
import type { LeadResult, LeadStep } from './contract.ts';

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
