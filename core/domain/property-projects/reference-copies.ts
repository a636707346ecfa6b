/**
 * The property-project system's reference data as we answer it: a copy that is fresh enough, else one that the system
 * has just confirmed, else, while the system is down, the last one it gave. Copies lie in PostgreSQL, so that all
 * processes share them and a restart keeps them; each process holds those it has read lately.
 */

import { callScope } from '../../integrations/kit/call-context.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import type { PropertyProjects } from '../../integrations/property-projects/client.ts';
import {
  Amenity,
  Developer,
  District,
  Emirate,
  Finish,
  Project,
  ProjectUnit,
  type Reference,
  type ReferenceName,
  UnitLayout,
  UnitType,
} from '../../integrations/property-projects/reference.ts';
import type { ReferenceQuery } from '../../integrations/property-projects/reference-query.ts';
import type { Database } from '../../postgres/client.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { type CollectionCopies, openCollectionCopies } from './collection-copies.ts';
import { createProjectReferenceRows } from './copies.ts';

export interface ReferenceAnswer<Row> {
  items: Row[];
  /** When the system last said that this is how it is. */
  checkedAt: Date;
  /** The system is down, and this may have changed meanwhile. */
  isStale: boolean;
}

export type ReferenceCopies = ReturnType<typeof openReferenceCopies>;

export function openReferenceCopies(client: PropertyProjects, database: Database) {
  const parts = { client, rows: createProjectReferenceRows(database) };
  const collections: { [N in ReferenceName]: CollectionCopies<N> } = {
    emirates: openCollectionCopies<'emirates'>(Emirate, parts),
    districts: openCollectionCopies<'districts'>(District, parts),
    projects: openCollectionCopies<'projects'>(Project, parts),
    developers: openCollectionCopies<'developers'>(Developer, parts),
    amenities: openCollectionCopies<'amenities'>(Amenity, parts),
    unitTypes: openCollectionCopies<'unitTypes'>(UnitType, parts),
    finishes: openCollectionCopies<'finishes'>(Finish, parts),
    unitLayouts: openCollectionCopies<'unitLayouts'>(UnitLayout, parts),
    units: openCollectionCopies<'units'>(ProjectUnit, parts),
  };

  return {
    freshSeconds: client.config.PROPERTY_PROJECTS_FRESH_SECONDS,

    /**
     * @throws ServiceError not-found when there is no such row or project
     * @throws UpstreamError when the system is down and no copy is to be had
     */
    async read<N extends ReferenceName>(query: ReferenceQuery<N>): Promise<ReferenceAnswer<Reference<N>>> {
      if (client.sandbox) callScope().sandboxes.add('property-projects');
      const { copy, isStale } = await collections[query.name].latest(query).catch(orNotFound);
      return { items: copy.pages.flatMap(({ items }) => items), checkedAt: copy.checkedAt, isStale };
    },
  };
}

function orNotFound(error: unknown): never {
  if (error instanceof UpstreamError && error.failure.status === 404)
    throw new ServiceError('not-found', 'The property-project system knows no such record.', {
      cause: error,
    });
  throw error;
}
