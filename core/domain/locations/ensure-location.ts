/** Ensures that the CRM has one location of the listing portal and its ancestors; reads the live CRM, not only the mirror. */
import type { Effects } from '../../effects/ledger.ts';
import type { Crm } from '../../integrations/crm/system.ts';
import { type Location, titleOf } from '../../integrations/listing-portal/location.ts';
import type { Database } from '../../postgres/client.ts';
import { createSyncStates } from '../../sync/states.ts';
import { type CrmSide, createCrmLocations, type LineageStep, readCrmLocations } from '../crm/locations.ts';
import { addLocations, mirrorRow } from './add-locations.ts';
import { createLocationAliases } from './location-aliases.ts';
import { createMatcher, type MatchOptions, normalTitle, planCrm } from './plan-crm.ts';
import { createPortalLocations } from './portal-locations.ts';

interface LocationServices {
  crm: Crm;
  database: Database;
  effects: Effects;
}

interface EnsuredLocation {
  outcome: 'found' | 'created' | 'ambiguous' | 'refused';
  /** Null unless found or created. */
  crmId: number | null;
  /** In the CRM, from the city down to the location itself. */
  path: LineageStep[];
  reason: string;
}

export async function ensureLocation(services: LocationServices, location: Location): Promise<EnsuredLocation> {
  const lineage = location.places.map((place, depth) => ({
    ...place,
    places: location.places.slice(0, depth + 1),
    coordinates: null,
  }));
  const options = await matchOptions(services, lineage);
  const match = createMatcher(options)(location);
  switch (match.outcome) {
    case 'matched':
      return await present(services, 'found', match.crm.id, foundBy[match.by]);
    case 'same-title':
      return await present(services, 'found', match.crm.id, foundBy.title);
    case 'ambiguous':
      return absent('ambiguous', match.reason);
    case 'missing':
      return await add(services, lineage, options);
  }
}

const foundBy = {
  decision: 'A location alias names it.',
  'portal-id': 'It has the portal’s id.',
  title: 'It has the same name and path, and no portal id.',
};

async function add(
  services: LocationServices,
  lineage: readonly Location[],
  options: MatchOptions,
): Promise<EnsuredLocation> {
  const { creates, undecided } = planCrm(lineage, options);
  const obstacle = undecided.find(({ outcome }) => outcome === 'ambiguous');
  if (obstacle) return absent('ambiguous', `Its parent is undecided. ${obstacle.reason}`);
  let crmId: number | null = null;
  for (const { location: portalId, parent } of creates) {
    const location = lineage.find(({ id }) => id === portalId);
    if (!location) continue;
    const parentId = parent !== null && 'crmId' in parent ? parent.crmId : crmId;
    const [added] = await addLocations(services, [{ location, parentId }]);
    if (!added || 'rejected' in added)
      return absent('refused', `${titleOf(location.places)}: ${added?.rejected ?? 'the CRM gave no reason'}`);
    crmId = added.crmId;
    await createCrmLocations(services.database).put([mirrorRow({ location, parentId }, crmId)]);
  }
  const above = creates.length - 1;
  const reason = above > 0 ? `It was added, with ${above} of its ancestors.` : 'It was added.';
  return await present(services, 'created', crmId, reason);
}

const absent = (outcome: EnsuredLocation['outcome'], reason: string): EnsuredLocation => ({
  outcome,
  crmId: null,
  path: [],
  reason,
});

async function present(
  { database }: LocationServices,
  outcome: EnsuredLocation['outcome'],
  crmId: number | null,
  reason: string,
): Promise<EnsuredLocation> {
  const path = crmId === null ? [] : await createCrmLocations(database).lineage(crmId);
  return { outcome, crmId, path, reason };
}

/** CRM candidates: live search by portal id and title, and other spellings from the mirror, each read again live. */
async function matchOptions({ crm, database }: LocationServices, lineage: readonly Location[]): Promise<MatchOptions> {
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
  const similar = (await mirroredRows(crm, database)).filter(
    row => titles.has(normalTitle(row.title)) || ids.has(row.portalId ?? '') || decided.has(row.id),
  );
  for (const { id } of [...similar, ...[...decided].map(each => ({ id: each }))]) {
    const row = live.get(id) ?? (await crm.locations.get(id));
    if (row) live.set(id, row);
  }
  const rows = [...live.values()];
  await createCrmLocations(database).put(rows);
  const onPortal = await portalIdsAmong(database, rows);
  return { crm: rows, decisions, isOnPortal: id => ids.has(id) || onPortal.has(id) };
}

/** The mirror; before its first read all CRM locations, because a location missed here would be added twice. */
async function mirroredRows(crm: Crm, database: Database): Promise<CrmSide[]> {
  if (await createSyncStates(database).read('crm-locations')) return await createCrmLocations(database).sides();
  return (await readCrmLocations(crm)).rows;
}

/** The portal ids of the rows that the portal's mirror has. */
async function portalIdsAmong(database: Database, rows: readonly CrmSide[]): Promise<Set<string>> {
  const ids = rows.flatMap(({ portalId }) => (portalId !== null && /^\d{1,9}$/.test(portalId) ? [portalId] : []));
  const known = await createPortalLocations(database).some(ids.map(Number));
  return new Set(known.map(({ id }) => String(id)));
}
