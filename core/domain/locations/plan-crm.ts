/** What the CRM lacks of the listing portal's locations: links to those it has, and new ones, parents first. */
import { z } from 'zod';
import { Location, parentOf, titleOf } from '../../integrations/listing-portal/location.ts';
import { SyncRow } from '../../sync/report.ts';
import { grouped } from './grouped.ts';
import {
  type CrmSide,
  createMatcher,
  type Match,
  type MatchOptions,
  normalTitle,
} from './match-locations.ts';

/** JSON, so that a held run can carry out exactly this. */
export const CrmPlan = z.object({
  /** CRM locations that get their portal id. */
  links: z.array(z.object({ portalId: z.int(), crmId: z.int(), title: z.string() })),
  /** Parents before children. */
  creates: z.array(
    z.object({
      location: Location,
      /** Null for a city; a portal id when it is to be created itself. */
      parent: z.union([z.object({ crmId: z.int() }), z.object({ portalId: z.int() }), z.null()]),
    }),
  ),
  matched: z.int(),
  /** Left as they are, and why. */
  undecided: z.array(SyncRow),
});
export type CrmPlan = z.infer<typeof CrmPlan>;
export type Creation = CrmPlan['creates'][number];

type Parent = Creation['parent'] | 'undecided';

/** @param locations those that the portal has, parents before children */
export function planCrm(locations: readonly Location[], options: MatchOptions): CrmPlan {
  const matchOf = createMatcher(options);
  const matches = keepApart(locations.map(location => ({ location, match: matchOf(location) })));
  const plan: CrmPlan = { links: [], creates: [], matched: 0, undecided: [] };
  /** What a location is in the CRM, for those in it. */
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
        const reason = `${title}: what it lies in is undecided, so that it was not added.`;
        plan.undecided.push({ key, outcome: 'skipped', reason });
        return 'undecided';
      }
      plan.creates.push({ location, parent });
      return { portalId: location.id };
  }
}

/** Two locations of the portal with one name and path cannot both be the one that the CRM has. */
function keepApart(matches: readonly { location: Location; match: Match }[]) {
  const claims = grouped(matches, ({ match }) => (match.outcome === 'same-title' ? match.crm.id : undefined));
  return matches.map(({ location, match }) => {
    const claimed = match.outcome === 'same-title' ? (claims.get(match.crm.id) ?? []) : [];
    if (claimed.length < 2) return { location, match };
    const ids = claimed.map(each => each.location.id).join(', ');
    const reason = `The portal’s locations ${ids} all have this name and path, and the CRM one.`;
    return { location, match: { outcome: 'ambiguous', reason } satisfies Match };
  });
}

const otherTitle = (crm: CrmSide, title: string): string =>
  `CRM location ${crm.id} is titled “${crm.title}” and here “${title}”; it was left as it is.`;
