/** Brings the local copy of the CRM's locations up to date. */
import type { Database } from '../db/client.ts';
import { createCrmLocations } from '../db/crm-locations.ts';
import { createSyncStates } from '../db/sync-states.ts';
import type { GuardLimits } from '../plan-guard.ts';
import type { Crm } from '../systems/crm/client.ts';
import { type Acquired, type AcquisitionContext, acquire } from './acquire.ts';

export const crmLocationsKind = 'crm-locations';

/** @param full reads all of them; else only those changed since the last time, which does not see deleted ones */
export function acquireCrmLocations(
  { crm, database }: { crm: Crm; database: Database },
  options: { full: boolean; context: AcquisitionContext; limits?: GuardLimits },
): Promise<Acquired> {
  const { copy } = createCrmLocations(database);
  const source = {
    kind: crmLocationsKind,
    title: 'the CRM’s locations',
    copy,
    read: crm.locations.read,
  };
  return acquire(source, createSyncStates(database), options);
}
