/**
 * The property-project system's reference data as we answer it: a copy that is fresh enough, else one that the system
 * has just confirmed, else, while the system is down, the last one it gave. Copies lie in PostgreSQL, so that all
 * processes share them and a restart keeps them; each process holds those it has read lately.
 */

import { callContext } from '../../integrations/kit/call-context.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
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
import type { PropertyProjects, ReferenceQuery } from '../../integrations/property-projects/system.ts';
import type { Database } from '../../postgres/client.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { type CollectionCache, createCollectionCache } from './collection-cache.ts';
import { createReferenceRepository } from './repository.ts';

export interface ReferenceAnswer<Row> {
  items: Row[];
  /** When the system last said that this is how it is. */
  checkedAt: Date;
  /** The system is down, and this may have changed meanwhile. */
  isStale: boolean;
}

export type ReferenceCache = ReturnType<typeof createReferenceCache>;

export function createReferenceCache(client: PropertyProjects, database: Database) {
  const parts = { client, rows: createReferenceRepository(database) };
  const collections: { [N in ReferenceName]: CollectionCache<N> } = {
    emirates: createCollectionCache<'emirates'>(Emirate, parts),
    districts: createCollectionCache<'districts'>(District, parts),
    projects: createCollectionCache<'projects'>(Project, parts),
    developers: createCollectionCache<'developers'>(Developer, parts),
    amenities: createCollectionCache<'amenities'>(Amenity, parts),
    unitTypes: createCollectionCache<'unitTypes'>(UnitType, parts),
    finishes: createCollectionCache<'finishes'>(Finish, parts),
    unitLayouts: createCollectionCache<'unitLayouts'>(UnitLayout, parts),
    units: createCollectionCache<'units'>(ProjectUnit, parts),
  };

  return {
    freshSeconds: client.config.PROPERTY_PROJECTS_FRESH_SECONDS,

    /**
     * @throws ServiceError not-found when there is no such row or project
     * @throws UpstreamError when the system is down and no copy is to be had
     */
    async read<N extends ReferenceName>(query: ReferenceQuery<N>): Promise<ReferenceAnswer<Reference<N>>> {
      if (client.sandbox) callContext().sandboxes.add('property-projects');
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
