/** Brings the local copy of the CRM's deals up to date, and the stages and users that they refer to. */

import { createDeals, type Deals, dealsStateKind } from '../../core/domain/crm/deals.ts';
import type { Crm } from '../../core/integrations/crm/client.ts';
import type { Database } from '../../core/postgres/client.ts';
import { type Acquired, type AcquisitionOptions, acquire } from '../../core/sync/mirror.ts';
import { createSyncStates } from '../../core/sync/states.ts';

export async function acquireDeals(
  { crm, database }: { crm: Crm; database: Database },
  options: AcquisitionOptions,
): Promise<Acquired> {
  const deals = createDeals(database);
  await acquireReferences(crm, deals);
  const source = { kind: dealsStateKind, title: 'The CRM’s deals', copy: deals.copy, read: crm.deals.read };
  return await acquire(source, createSyncStates(database), options);
}

/** A source that answers with nothing takes no names away. */
async function acquireReferences(crm: Crm, deals: Deals): Promise<void> {
  const [stages, users] = await Promise.all([crm.deals.stages(), crm.users.all()]);
  if (stages.length > 0 && users.length > 0)
    await deals.putReferences(stages.map(stageRow), users.map(userRow));
}

const stageRow = ({ id, pipelineId, name, place }: Awaited<ReturnType<Crm['deals']['stages']>>[number]) => ({
  id,
  pipelineId,
  name,
  place,
});

const userRow = ({ id, name, active }: Awaited<ReturnType<Crm['users']['all']>>[number]) => ({
  id,
  name,
  active,
});
