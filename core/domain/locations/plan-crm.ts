/** Matches the listing portal's locations with the CRM's, and plans the missing links and additions, parents first. */
import { z } from 'zod';
import { type Location, parentOf, titleOf } from '../../integrations/listing-portal/location.ts';
import { normalizeName } from '../../integrations/listing-portal/names.ts';
import { SyncRow } from '../../sync/report.ts';
import { groupBy } from '../../values/group-by.ts';
import type { CrmSide } from '../crm/locations.ts';

/** Stored as JSON with a held run, which applies exactly this plan when released. */
export const CrmPlan = z.object({
  /** CRM locations whose portal id is set. */
  links: z.array(z.object({ portalId: z.int(), crmId: z.int(), title: z.string() })),
  /** Parents before children. */
  creates: z.array(
    z.object({
      /** The location's portal id; an earlier version stored the whole location. */
      location: z.union([z.int(), z.object({ id: z.int() }).transform(({ id }) => id)]),
      /** Null for a city; a portal id if this plan creates the parent too. */
      parent: z.union([z.object({ crmId: z.int() }), z.object({ portalId: z.int() }), z.null()]),
    }),
  ),
  matched: z.int(),
  /** Locations left unchanged, with the reason. */
  undecided: z.array(SyncRow),
});
export type CrmPlan = z.infer<typeof CrmPlan>;

type Parent = CrmPlan['creates'][number]['parent'] | 'undecided';

/** @param locations the portal's, parents before children */
export function planCrm(locations: readonly Location[], options: MatchOptions): CrmPlan {
  const matchOf = createMatcher(options);
  const matches = rejectSharedMatches(locations.map(location => ({ location, match: matchOf(location) })));
  const plan: CrmPlan = { links: [], creates: [], matched: 0, undecided: [] };
  /** Portal id → the location's place in the CRM, for its children. */
  const known = new Map<number, Parent>();

  for (const { location, match } of matches) {
    const above = parentOf(location);
    const parent: Parent = above === undefined ? null : (known.get(above.id) ?? 'undecided');
    known.set(location.id, decide(plan, location, match, parent));
  }
  return plan;
}

function decide(plan: CrmPlan, location: Location, match: Match, parent: Parent): Parent {
  const key = String(location.id);
  const title = titleOf(location.places);
  switch (match.outcome) {
    case 'matched':
      plan.matched += 1;
      if (match.by === 'decision' && match.crm.portalId === null)
        plan.links.push({ portalId: location.id, crmId: match.crm.id, title });
      else if (normalTitle(match.crm.title) !== normalTitle(title))
        plan.undecided.push({ key, outcome: 'conflict', reason: otherTitle(match.crm, title) });
      return { crmId: match.crm.id };
    case 'same-title':
      plan.links.push({ portalId: location.id, crmId: match.crm.id, title });
      return { crmId: match.crm.id };
    case 'ambiguous':
      plan.undecided.push({ key, outcome: 'ambiguous', reason: match.reason });
      return 'undecided';
    case 'missing':
      if (parent === 'undecided') {
        const reason = `${title}: not added, because its parent is undecided.`;
        plan.undecided.push({ key, outcome: 'skipped', reason });
        return 'undecided';
      }
      plan.creates.push({ location: location.id, parent });
      return { portalId: location.id };
  }
}

/** Portal locations that match the same CRM location by title become ambiguous. */
function rejectSharedMatches(matches: readonly { location: Location; match: Match }[]) {
  const claims = groupBy(matches, ({ match }) => (match.outcome === 'same-title' ? match.crm.id : undefined));
  return matches.map(({ location, match }) => {
    const claimed = match.outcome === 'same-title' ? (claims.get(match.crm.id) ?? []) : [];
    if (claimed.length < 2) return { location, match };
    const ids = claimed.map(each => each.location.id).join(', ');
    const reason = `The portal’s locations ${ids} have the same name and path; the CRM has one such location.`;
    return { location, match: { outcome: 'ambiguous', reason } satisfies Match };
  });
}

const otherTitle = (crm: CrmSide, title: string): string =>
  `CRM location ${crm.id} is titled “${crm.title}”, in the portal “${title}”; it was left unchanged.`;

export type Match =
  /** By the portal's id in the CRM, or by a location alias. */
  | { outcome: 'matched'; crm: CrmSide; by: 'decision' | 'portal-id' }
  /** Same name and path, and without a portal id. */
  | { outcome: 'same-title'; crm: CrmSide }
  | { outcome: 'missing' }
  | { outcome: 'ambiguous'; reason: string };

export interface MatchOptions {
  crm: readonly CrmSide[];
  /** Location aliases: portal id → CRM id. */
  decisions: ReadonlyMap<number, number>;
  isOnPortal: (portalId: string) => boolean;
}

export function createMatcher({ crm, decisions, isOnPortal }: MatchOptions): (location: Location) => Match {
  const byId = new Map(crm.map(row => [row.id, row]));
  const byPortalId = groupBy(crm, ({ portalId }) => portalId);
  const byTitle = groupBy(crm, ({ title }) => normalTitle(title));

  function byDecision(crmId: number): Match {
    const decided = byId.get(crmId);
    if (decided) return { outcome: 'matched', crm: decided, by: 'decision' };
    return {
      outcome: 'ambiguous',
      reason: `Its alias names CRM location ${crmId}, which does not exist.`,
    };
  }

  function byTitleOf(title: string): Match {
    const named = (byTitle.get(normalTitle(title)) ?? []).filter(
      ({ portalId }) => portalId === null || !isOnPortal(portalId),
    );
    const [first, ...others] = named;
    if (!first) return { outcome: 'missing' };
    if (others.length > 0)
      return { outcome: 'ambiguous', reason: `CRM locations ${idsOf(named)} have its name and path.` };
    if (first.portalId === null) return { outcome: 'same-title', crm: first };
    return {
      outcome: 'ambiguous',
      reason: `CRM location ${first.id} has its name and path, but the portal id ${first.portalId}, which does not exist in the portal.`,
    };
  }

  return ({ id, places }) => {
    const decided = decisions.get(id);
    if (decided !== undefined) return byDecision(decided);
    const [linked, ...others] = byPortalId.get(String(id)) ?? [];
    if (!linked) return byTitleOf(titleOf(places));
    if (others.length === 0) return { outcome: 'matched', crm: linked, by: 'portal-id' };
    return {
      outcome: 'ambiguous',
      reason: `CRM locations ${idsOf([linked, ...others])} have its portal id.`,
    };
  };
}

const idsOf = (rows: readonly CrmSide[]): string => rows.map(({ id }) => id).join(', ');

/** A title with each of its comma-separated parts normalized. */
export const normalTitle = (title: string): string =>
  title
    .split(',')
    .map(normalizeName)
    .filter(part => part !== '')
    .join(', ');
