/** Reads the CRM's locations, into the local copy or, for a dry run, past it. */

import { createCrmLocations } from '../../core/domain/crm/locations.ts';
import { acquireCrmLocations } from '../../core/domain/crm/mirror-locations.ts';
import type { CrmSide } from '../../core/domain/locations/match-locations.ts';
import type { Crm } from '../../core/integrations/crm/client.ts';
import type { Database } from '../../core/postgres/client.ts';
import type { AcquisitionContext } from '../../core/sync/mirror.ts';

/** All of them, or why the copy of them was not changed, and what a release goes on with. */
export type CrmRead = { rows: CrmSide[] } | { heldBecause: string[]; acquisition: unknown };

export async function refreshCrm(
  parts: { crm: Crm; database: Database },
  context: AcquisitionContext,
): Promise<CrmRead> {
  const { heldBecause, plan } = await acquireCrmLocations(parts, { full: true, context });
  if (heldBecause.length > 0) return { heldBecause, acquisition: plan };
  // A repeat of this job reads the CRM anew, and so sees what this run adds to it.
  await context.checkpoint.write(null);
  return { rows: await createCrmLocations(parts.database).all() };
}

export async function readCrm(crm: Crm): Promise<{ rows: CrmSide[] }> {
  const rows: CrmSide[] = [];
  for await (const chunk of crm.locations.read()) rows.push(...chunk.rows);
  return { rows };
}
