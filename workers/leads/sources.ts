/** Asks the systems that enrichment draws on; one that is not available is asked no more in this run, and named. */
import { createPortalLocationSearch } from '../../core/domain/locations/portal-location-search.ts';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import { type DncStatus, dncStatuses } from '../../core/domain/telephony/dnc-status.ts';
import activityLogSystem from '../../core/integrations/activity-log/system.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import type { Lead } from '../../core/integrations/crm/leads.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import dncRegistrySystem from '../../core/integrations/dnc-registry/system.ts';
import { titleOf } from '../../core/integrations/listing-portal/location.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { toE164 } from '../../core/values/phone-number.ts';
import type { WorkerServices } from '../services.ts';
import { activitySummary, leadText } from './enrichment.ts';

/** Fields that are left out when their source is not available, with what is said of it. */
const sources = {
  dncStatus: 'The do-not-call registry',
  activitySummary: 'The log store',
  interestedLocations: 'The local copy of the listing portal’s locations',
} as const;
export type SourceField = keyof typeof sources;

export interface LeadSources {
  /** Of each number that was asked for; undefined: left out. */
  dnc(numbers: readonly string[]): Promise<Map<string, DncStatus['status']> | undefined>;
  /** Undefined: left out; null: there are none. */
  activity(lead: Lead): Promise<string | null | undefined>;
  locations(lead: Lead): Promise<string | null | undefined>;
  users(): Promise<CrmUser[]>;
  /** A sentence for each source that was not available. */
  failures(): string[];
}

/** Of a person's newest entries as many are looked through for what the person does most. */
const activitiesSeen = 200;
const mostLocations = 5;

export function openLeadSources(
  { database, systems }: WorkerServices,
  crm: Crm,
  { clientId, signal }: { clientId: string; signal: AbortSignal },
): LeadSources {
  const missing = new Map<SourceField, string>();
  const search = createPortalLocationSearch(database);
  let users: Promise<CrmUser[]> | undefined;
  let hasLocations: Promise<boolean> | undefined;

  async function unlessMissing<T>(field: SourceField, ask: () => Promise<T>): Promise<T | undefined> {
    if (missing.has(field)) return undefined;
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServiceError) || error.status < 500) throw error;
      missing.set(field, error.message);
      return undefined;
    }
  }

  return {
    dnc: numbers =>
      unlessMissing('dncStatus', async () => {
        const registry = dncRegistrySystem.client(systems);
        const found = await dncStatuses(database, registry, { numbers, refresh: false, clientId });
        return new Map(found.map(({ number, status }) => [number, status]));
      }),

    activity: lead =>
      unlessMissing('activitySummary', async () => {
        const keys = { emails: lead.emails, phones: lead.phones.flatMap(phone => toE164(phone) ?? []) };
        return activitySummary(await activityLogSystem.client(systems).ofPerson(keys, activitiesSeen)) ?? null;
      }),

    locations: lead =>
      unlessMissing('interestedLocations', async () => {
        hasLocations ??= createPortalLocations(database)
          .asOf()
          .then(asOf => asOf !== undefined);
        if (!(await hasLocations)) throw new ServiceError('service-unavailable', 'It was not made yet.');
        const found = await search.mentionedIn(leadText(lead), mostLocations);
        return found.map(({ places }) => titleOf(places)).join('; ') || null;
      }),

    users() {
      users ??= crm.users.all();
      return users;
    },

    failures: () =>
      [...missing].map(
        ([field, why]) => `${sources[field]} was not available, so that \`${field}\` was left out: ${why}`,
      ),
  };
}
