/** Enriches some leads of the CRM: works out what each lacks, and writes what is new. */
import type { LeadServices } from '../../core/domain/leads/create-lead.ts';
import { missingE164Phones } from '../../core/domain/leads/diff.ts';
import type { Lead, LeadChange } from '../../core/integrations/crm/leads.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import type { LeadStep } from './contract.ts';
import { agentOf, agentText, countryOf, dncOf } from './enrichment.ts';
import type { LeadSources, SourceField } from './sources.ts';
import { changeLeads } from './update-leads.ts';

interface Enrichment {
  change: LeadChange;
  leftOut: SourceField[];
}

/** Leads that are looked up in the log at once. */
const lanes = 5;

/** @returns a step for each id, in order */
export async function enrichLeads(
  parts: LeadServices,
  sources: LeadSources,
  ids: readonly number[],
): Promise<LeadStep[]> {
  if (ids.length === 0) return [];
  const leads = await parts.crm.leads.getMany(ids);
  const dnc = await sources.dnc([...new Set([...leads.values()].flatMap(({ phones }) => phones))]);
  const users = await sources.users();
  const enrichments = new Map<number, Enrichment>();
  const queue = leads.values();
  const lane = async () => {
    for (const lead of queue) enrichments.set(lead.id, await enrichmentOf(lead, { sources, dnc, users }));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const changes = ids.map(id => ({ id, change: enrichments.get(id)?.change ?? {}, respells: true }));
  const steps = await changeLeads(parts, changes, leads);
  return steps.map((step, index) => ({
    ...step,
    leftOut: enrichments.get(ids[index] ?? 0)?.leftOut ?? [],
  }));
}

interface Found {
  sources: LeadSources;
  dnc: Awaited<ReturnType<LeadSources['dnc']>>;
  users: readonly CrmUser[];
}

/** What nobody knows anything about stays as it is: staff may have filled it in. */
async function enrichmentOf(lead: Lead, { sources, dnc, users }: Found): Promise<Enrichment> {
  const [activity, locations] = await Promise.all([sources.activity(lead), sources.locations(lead)]);
  const agent = agentOf(lead, users);
  const country = countryOf(lead);
  const dncStatus = dnc && dncOf(lead.phones.flatMap(phone => dnc.get(phone) ?? []));
  return {
    change: {
      phones: missingE164Phones(lead),
      ...(country && { country }),
      ...(dncStatus && { dncStatus }),
      ...(agent && { matchedAgent: agentText(agent) }),
      ...(locations && { interestedLocations: locations }),
      ...(activity && { activitySummary: activity }),
    },
    leftOut: [
      ...(dnc ? [] : ['dncStatus' as const]),
      ...(activity === undefined ? ['activitySummary' as const] : []),
      ...(locations === undefined ? ['interestedLocations' as const] : []),
    ],
  };
}
