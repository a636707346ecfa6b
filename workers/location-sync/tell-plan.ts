/** Writes a plan into the report: what it leaves as it is, and what it would change when that is not carried out. */
import type { z } from 'zod';
import { titleOf } from '../../core/integrations/listing-portal/location.ts';
import type { ReportWriter } from '../../core/sync/report.ts';
import type contract from './contract.ts';
import type { HeldPlan } from './held-plan.ts';

type ApplyPlan = Extract<HeldPlan, { stage: 'apply' }>;
type CopyCounts = z.input<typeof contract.result>['copy'];

export const untouchedCopy: CopyCounts = { matched: 0, created: 0, updated: 0, gone: 0 };

/** @param carriesOut whether what is changed is counted as it is done */
export function tellPlan(report: ReportWriter, plan: ApplyPlan, carriesOut: boolean): CopyCounts {
  const { matched, created, updated, gone } = plan.portal;
  const copy = { matched, created, updated, gone: gone.length };
  report.count('read', plan.read);
  if (plan.crm) tellCrm(report, plan.crm, carriesOut);
  else tellCopy(report, plan, copy, carriesOut);
  return copy;
}

/** An update is about the copy: its counts are the report's. */
function tellCopy(
  report: ReportWriter,
  { portal, asOf }: ApplyPlan,
  { matched, created, updated, gone }: CopyCounts,
  carriesOut: boolean,
): void {
  report.count('matched', matched);
  report.count('created', created);
  report.count('updated', updated);
  report.count('deleted', gone);
  if (carriesOut) return;
  for (const id of portal.gone)
    report.row({ key: String(id), outcome: 'deleted', reason: `The portal did not have it at ${asOf}.` });
  for (const location of portal.put)
    report.row({ key: String(location.id), outcome: 'updated', reason: titleOf(location.places) });
}

function tellCrm(report: ReportWriter, crm: NonNullable<ApplyPlan['crm']>, carriesOut: boolean): void {
  report.count('read', crm.read);
  report.count('matched', crm.matched);
  report.count('skipped', crm.undecided.filter(({ outcome }) => outcome !== 'conflict').length);
  // Before the planned changes: a report holds only so many rows, and these want a person.
  for (const row of crm.undecided) report.row(row);
  if (!carriesOut) {
    report.count('created', crm.creates.length);
    report.count('updated', crm.links.length);
    for (const { location } of crm.creates)
      report.row({ key: String(location.id), outcome: 'created', reason: titleOf(location.places) });
    for (const { portalId, crmId, title } of crm.links)
      report.row({
        key: String(portalId),
        outcome: 'updated',
        reason: `${title}: is CRM location ${crmId}.`,
      });
  }
}
