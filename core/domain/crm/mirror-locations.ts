/** Brings the local copy of the CRM's locations up to date. */

import type { Crm } from '../../integrations/crm/client.ts';
import type { Database } from '../../postgres/client.ts';
import { type Acquired, type AcquisitionOptions, acquire } from '../../sync/mirror.ts';
import { createSyncStates } from '../../sync/states.ts';
import { createCrmLocations } from './locations.ts';

/** @param options `full` reads all of them; else only those changed since the last time, which does not see deleted ones */
export function acquireCrmLocations(
  { crm, database }: { crm: Crm; database: Database },
  options: AcquisitionOptions,
): Promise<Acquired> {
  const { copy } = createCrmLocations(database);
  const source = {
    kind: 'crm-locations',
    title: 'The CRM’s locations',
    copy,
    read: crm.locations.read,
  };
  return acquire(source, createSyncStates(database), options);
}
