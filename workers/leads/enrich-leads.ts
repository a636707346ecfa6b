/** Enriches CRM leads: derives fields from other systems and writes the changed ones. */
import { missingE164Phones } from '../../core/domain/leads/diff.ts';
import type { Lead, LeadChange } from '../../core/integrations/crm/leads.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import type { LeadStep } from './contract.ts';
import { agentOf, agentText, countryOf, dncOf } from './enrichment.ts';
import type { LeadSources, SourceField } from './sources.ts';
import { type ChangeServices, changeLeads } from './update-leads.ts';

interface Enrichment {
  change: LeadChange;
  leftOut: SourceField[];
}

/** @returns one step for each id, in order */
export async function enrichLeads(
  services: ChangeServices,
  sources: LeadSources,
  ids: readonly number[],
): Promise<LeadStep[]> {
  if (ids.length === 0) return [];
  const refused = new Map<number, string>();
  const leads = await services.crm.leads.getMany(ids, (id, reason) => refused.set(id, reason));
  const dnc = await sources.dnc([...new Set([...leads.values()].flatMap(({ phones }) => phones))]);
  const users = await sources.users();
  const enrichments = new Map<number, Enrichment>();
  await mapConcurrent(leads.values(), { limit: 5 }, async lead => {
    enrichments.set(lead.id, await enrichmentOf(lead, { sources, dnc, users }));
  });
  const changes = ids.map(id => ({ id, change: enrichments.get(id)?.change ?? {}, respells: true }));
  const steps = await changeLeads(services, changes, { leads, refused });
  return steps.map((step, index) => ({
    ...step,
    leftOut: enrichments.get(ids[index] ?? 0)?.leftOut ?? [],
  }));
}

/** A field without a value from any source is not changed: staff may have filled it in. */
async function enrichmentOf(
  lead: Lead,
  {
    sources,
    dnc,
    users,
  }: { sources: LeadSources; dnc: Awaited<ReturnType<LeadSources['dnc']>>; users: readonly CrmUser[] },
): Promise<Enrichment> {
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
