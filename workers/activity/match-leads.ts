/** Finds the lead of each visitor by e-mail or phone: the newest open one, else the newest. */
import type { Lead } from '../../core/integrations/crm/leads.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import { chunks } from '../../core/values/chunks.ts';
import { toE164 } from '../../core/values/phone-number.ts';
import type { Visitor } from './visits.ts';

export type LeadMatcher = ReturnType<typeof openLeadMatcher>;

/** The CRM returns at most 20 leads per lookup: a number of visitors that rarely have more together. */
const visitorsPerLookup = 8;
const maxLeadsPerLookup = 20;

/** Caches the visitors looked up. */
export function openLeadMatcher(crm: { leads: Pick<Crm['leads'], 'duplicates' | 'getMany'> }) {
  const known = new Map<string, number | undefined>();

  async function leadIdsOf(visitors: readonly Visitor[]): Promise<number[]> {
    const { leads } = await crm.leads.duplicates({
      phones: visitors.flatMap(({ phone }) => phone ?? []),
      emails: visitors.flatMap(({ email }) => email ?? []),
    });
    if (leads.length < maxLeadsPerLookup || visitors.length === 1) return leads;
    const found: number[] = [];
    for (const visitor of visitors) found.push(...(await leadIdsOf([visitor])));
    return found;
  }

  return {
    /** Visitor key → lead id; without visitors that have no lead. */
    async match(visitors: readonly Visitor[]): Promise<Map<string, number>> {
      const unknown = visitors.filter(({ key }) => !known.has(key));
      const leadIds = new Set<number>();
      for (const some of chunks(unknown, visitorsPerLookup)) for (const id of await leadIdsOf(some)) leadIds.add(id);
      const leads = [...(await crm.leads.getMany([...leadIds])).values()];
      for (const visitor of unknown) known.set(visitor.key, leadOf(visitor, leads));
      return new Map(
        visitors.flatMap(({ key }) => {
          const leadId = known.get(key);
          return leadId === undefined ? [] : [[key, leadId] satisfies [string, number]];
        }),
      );
    },
  };
}

export function leadOf(
  { email, phone }: Visitor,
  leads: readonly Pick<Lead, 'id' | 'emails' | 'phones' | 'outcome'>[],
): number | undefined {
  const theirs = leads.filter(
    lead =>
      lead.emails.some(one => one.trim().toLowerCase() === email) ||
      lead.phones.some(one => phone !== undefined && toE164(one) === phone),
  );
  const open = theirs.filter(({ outcome }) => outcome === 'open');
  const ids = (open.length > 0 ? open : theirs).map(({ id }) => id);
  return ids.length === 0 ? undefined : Math.max(...ids);
}
