/** Tries to add one location of the listing portal to the CRM, with what it lies in, looking at the CRM as it is now. */

import type { Effects } from '../../effects/ledger.ts';
import type { Crm } from '../../integrations/crm/client.ts';
import { type Location, titleOf } from '../../integrations/listing-portal/location.ts';
import type { Database } from '../../postgres/client.ts';
import { createSyncStates } from '../../sync/states.ts';
import { type CopiedLocation, createCrmLocations, type LineageStep } from '../crm/locations.ts';
import { addLocations, newLocation } from './add-locations.ts';
import { createLocationAliases } from './location-aliases.ts';
import { type CrmSide, createMatcher, type MatchOptions, normalTitle } from './match-locations.ts';
import { planCrm } from './plan-crm.ts';
import { createPortalLocations } from './portal-locations.ts';

export interface TryParts {
  crm: Crm;
  database: Database;
  effects: Effects;
}

export interface Tried {
  outcome: 'found' | 'created' | 'ambiguous' | 'refused';
  /** Null unless it was found or created. */
  crmId: number | null;
  /** In the CRM, from the city down to the location itself. */
  path: LineageStep[];
  reason: string;
}

export async function tryLocation(parts: TryParts, location: Location): Promise<Tried> {
  const lineage = location.places.map((place, depth) => ({
    ...place,
    places: location.places.slice(0, depth + 1),
    coordinates: null,
  }));
  const options = await matchOptions(parts, lineage);
  const match = createMatcher(options)(location);
  switch (match.outcome) {
    case 'matched':
      return await isThere(parts, 'found', match.crm.id, foundBy[match.by]);
    case 'same-title':
      return await isThere(parts, 'found', match.crm.id, 'It has the same name and path, and no portal id.');
    case 'ambiguous':
      return notThere('ambiguous', match.reason);
    case 'missing':
      return await add(parts, lineage, options);
  }
}

const foundBy = { decision: 'It was decided so.', 'portal-id': 'It has the portal’s id.' };

async function add(parts: TryParts, lineage: readonly Location[], options: MatchOptions): Promise<Tried> {
  const { creates, undecided } = planCrm(lineage, options);
  const obstacle = undecided.find(({ outcome }) => outcome === 'ambiguous');
  if (obstacle) return notThere('ambiguous', `What it lies in is undecided. ${obstacle.reason}`);
  let crmId: number | null = null;
  for (const { location, parent } of creates) {
    const parentId = parent !== null && 'crmId' in parent ? parent.crmId : crmId;
    const [added] = await addLocations(parts, [{ location, parentId }]);
    if (!added || 'refused' in added)
      return notThere(
        'refused',
        `${titleOf(location.places)}: ${added?.refused ?? 'the CRM did not say why'}`,
      );
    crmId = added.crmId;
    await createCrmLocations(parts.database).put([rowOf(location, parentId, crmId)]);
  }
  const above = creates.length - 1;
  const reason = above > 0 ? `It was added, and ${above} above it.` : 'It was added.';
  return await isThere(parts, 'created', crmId, reason);
}

const rowOf = (location: Location, parentId: number | null, id: number): CopiedLocation => {
  const { type, title, portalId } = newLocation(location, parentId);
  return { id, parentId, type, name: location.name, title, portalId, modifiedAt: new Date() };
};

const notThere = (outcome: Tried['outcome'], reason: string): Tried => ({
  outcome,
  crmId: null,
  path: [],
  reason,
});

async function isThere(
  { database }: TryParts,
  outcome: Tried['outcome'],
  crmId: number | null,
  reason: string,
): Promise<Tried> {
  const path = crmId === null ? [] : await createCrmLocations(database).lineage(crmId);
  return { outcome, crmId, path, reason };
}

/** What of the CRM can match: asked of the CRM itself, and by other spellings of the local copy. */
async function matchOptions(
  { crm, database }: TryParts,
  lineage: readonly Location[],
): Promise<MatchOptions> {
  const copy = createCrmLocations(database);
  const decisions = await createLocationAliases(database).decisions();
  const asked = await Promise.all(
    lineage.flatMap(({ id, places }) => [
      crm.locations.findByPortalId(String(id)),
      crm.locations.findByTitle(titleOf(places)),
    ]),
  );
  const live = new Map(asked.flat().map(row => [row.id, row]));
  const titles = new Set(lineage.map(({ places }) => normalTitle(titleOf(places))));
  const ids = new Set(lineage.map(({ id }) => String(id)));
  const decided = new Set(lineage.flatMap(({ id }) => decisions.get(id) ?? []));
  const similar = (await allOfCrm(crm, database)).filter(
    row => titles.has(normalTitle(row.title)) || ids.has(row.portalId ?? '') || decided.has(row.id),
  );
  for (const { id } of [...similar, ...[...decided].map(each => ({ id: each }))]) {
    const row = live.get(id) ?? (await crm.locations.get(id));
    if (row) live.set(id, row);
  }
  const rows = [...live.values()];
  await copy.put(rows);
  const onPortal = await knownToPortal(database, rows);
  return { crm: rows, decisions, isOnPortal: id => ids.has(id) || onPortal.has(id) };
}

/** As of the last acquisition; before the first one all are read, lest what is there be added again. */
async function allOfCrm(crm: Crm, database: Database): Promise<CrmSide[]> {
  if (await createSyncStates(database).read('crm-locations')) return await createCrmLocations(database).all();
  const rows: CrmSide[] = [];
  for await (const chunk of crm.locations.read()) rows.push(...chunk.rows);
  return rows;
}

async function knownToPortal(
  database: Database,
  rows: readonly { portalId: string | null }[],
): Promise<Set<string>> {
  const ids = rows.flatMap(({ portalId }) =>
    portalId !== null && /^\d{1,9}$/.test(portalId) ? [portalId] : [],
  );
  const known = await createPortalLocations(database).some(ids.map(Number));
  return new Set(known.map(({ id }) => String(id)));
}
