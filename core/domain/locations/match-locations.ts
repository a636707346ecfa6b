/** Finds which location of the CRM a location of the listing portal is. */

import { type Location, titleOf } from '../../integrations/listing-portal/location.ts';
import { normalName } from '../../integrations/listing-portal/normalize-name.ts';
import type { CrmLocationRow } from '../crm/locations.ts';
import { grouped } from './grouped.ts';

export type CrmSide = Pick<CrmLocationRow, 'id' | 'title' | 'portalId'>;

export type Match =
  /** The CRM says so by the portal's id, or a person did. */
  | { outcome: 'matched'; crm: CrmSide; by: 'decision' | 'portal-id' }
  /** Of the same name and path, and not yet linked to any location of the portal. */
  | { outcome: 'same-title'; crm: CrmSide }
  | { outcome: 'missing' }
  | { outcome: 'ambiguous'; reason: string };

export interface MatchOptions {
  crm: readonly CrmSide[];
  /** Decisions of people: the portal's id → the CRM's. */
  decisions: ReadonlyMap<number, number>;
  /** Whether the portal has a location of this id. */
  isOnPortal: (portalId: string) => boolean;
}

export function createMatcher({ crm, decisions, isOnPortal }: MatchOptions): (location: Location) => Match {
  const byId = new Map(crm.map(row => [row.id, row]));
  const byPortalId = grouped(crm, ({ portalId }) => portalId);
  const byTitle = grouped(crm, ({ title }) => normalTitle(title));

  function byDecision(crmId: number): Match {
    const decided = byId.get(crmId);
    if (decided) return { outcome: 'matched', crm: decided, by: 'decision' };
    return {
      outcome: 'ambiguous',
      reason: `It was decided that it is CRM location ${crmId}, which is gone.`,
    };
  }

  function byItsTitle(title: string): Match {
    const named = (byTitle.get(normalTitle(title)) ?? []).filter(
      ({ portalId }) => portalId === null || !isOnPortal(portalId),
    );
    const [first, ...others] = named;
    if (!first) return { outcome: 'missing' };
    if (others.length > 0)
      return { outcome: 'ambiguous', reason: `CRM locations ${idsOf(named)} all have its name and path.` };
    if (first.portalId === null) return { outcome: 'same-title', crm: first };
    return {
      outcome: 'ambiguous',
      reason: `CRM location ${first.id} has its name and path, but the portal id ${first.portalId}, which the portal does not know.`,
    };
  }

  return ({ id, places }) => {
    const decided = decisions.get(id);
    if (decided !== undefined) return byDecision(decided);
    const [linked, ...others] = byPortalId.get(String(id)) ?? [];
    if (!linked) return byItsTitle(titleOf(places));
    if (others.length === 0) return { outcome: 'matched', crm: linked, by: 'portal-id' };
    return {
      outcome: 'ambiguous',
      reason: `CRM locations ${idsOf([linked, ...others])} all have its portal id.`,
    };
  };
}

const idsOf = (rows: readonly CrmSide[]): string => rows.map(({ id }) => id).join(', ');

/** The parts of a title apart from each other, each in its normal spelling. */
export const normalTitle = (title: string): string =>
  title
    .split(',')
    .map(normalName)
    .filter(part => part !== '')
    .join(', ');
