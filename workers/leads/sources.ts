/** Reads the sources of enrichment. A source that is not available is not called again in this run, and is reported. */
import { createPortalLocationSearch } from '../../core/domain/locations/portal-location-search.ts';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import { dncStatuses } from '../../core/domain/telephony/dnc-status.ts';
import activityLogSystem from '../../core/integrations/activity-log/system.ts';
import type { Lead } from '../../core/integrations/crm/leads.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import dncRegistrySystem from '../../core/integrations/dnc-registry/system.ts';
import { titleOf } from '../../core/integrations/listing-portal/location.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { toE164 } from '../../core/values/phone-number.ts';
import type { WorkerServices } from '../services.ts';
import { activitySummary, leadText } from './enrichment.ts';

/** Enriched fields with the names of their sources, for warnings. */
const sources = {
  dncStatus: 'The do-not-call registry',
  activitySummary: 'The log store',
  interestedLocations: 'The local copy of the listing portal’s locations',
} as const;
export type SourceField = keyof typeof sources;

export type LeadSources = ReturnType<typeof openLeadSources>;

/** The summary counts the actions of this many newest log entries. */
const maxActivities = 200;
const maxLocations = 5;

export function openLeadSources(
  { database, systems }: WorkerServices,
  crm: Crm,
  { clientId, signal }: { clientId: string; signal: AbortSignal },
) {
  const { unlessMissing, failures } = trackMissing(signal);
  const search = createPortalLocationSearch(database);
  let users: Promise<CrmUser[]> | undefined;
  let hasLocations: Promise<boolean> | undefined;

  return {
    /** Status by number. */
    dnc: (numbers: readonly string[]) =>
      unlessMissing('dncStatus', async () => {
        const registry = dncRegistrySystem.client(systems);
        const found = await dncStatuses(database, registry, { numbers, refresh: false, clientId });
        return new Map(found.map(({ number, status }) => [number, status]));
      }),

    /** Null: no activity. */
    activity: (lead: Lead): Promise<string | null | undefined> =>
      unlessMissing('activitySummary', async () => {
        const keys = { emails: lead.emails, phones: lead.phones.flatMap(phone => toE164(phone) ?? []) };
        return activitySummary(await activityLogSystem.client(systems).ofPerson(keys, maxActivities)) ?? null;
      }),

    /** Null: the text names no location. */
    locations: (lead: Lead): Promise<string | null | undefined> =>
      unlessMissing('interestedLocations', async () => {
        hasLocations ??= createPortalLocations(database)
          .asOf()
          .then(asOf => asOf !== undefined);
        if (!(await hasLocations)) throw new ServiceError('service-unavailable', 'It was never read.');
        const found = await search.mentionedIn(leadText(lead), maxLocations);
        return found.map(({ places }) => titleOf(places)).join('; ') || null;
      }),

    users(): Promise<CrmUser[]> {
      users ??= crm.users.all();
      return users;
    },

    /** One sentence for each source that was not available. */
    failures,
  };
}

/** Remembers the sources that were not available, and does not read them again. */
function trackMissing(signal: AbortSignal) {
  const missing = new Map<SourceField, string>();
  return {
    failures: (): string[] =>
      [...missing].map(([field, why]) => `${sources[field]} was not available; \`${field}\` was left out: ${why}`),

    /** Undefined if the source is not available. */
    async unlessMissing<T>(field: SourceField, read: () => Promise<T>): Promise<T | undefined> {
      if (missing.has(field)) return undefined;
      try {
        return await read();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ServiceError) || error.status < 500) throw error;
        missing.set(field, error.message);
        return undefined;
      }
    },
  };
}
