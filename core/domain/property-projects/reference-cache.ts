/**
 * Reads the property-project system's reference data through a cache: a fresh copy, else a revalidated one, else, while
 * the system is down, the stale one. Copies are stored in PostgreSQL, shared by all processes and kept over restarts;
 * each process also keeps recent ones in memory.
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
  /** When the system last confirmed the items. */
  checkedAt: Date;
  /** True if the system is down and the items may be outdated. */
  isStale: boolean;
}

export type ReferenceCache = ReturnType<typeof createReferenceCache>;

export function createReferenceCache(client: PropertyProjects, database: Database) {
  const services = { client, rows: createReferenceRepository(database) };
  const collections: { [N in ReferenceName]: CollectionCache<N> } = {
    emirates: createCollectionCache<'emirates'>(Emirate, services),
    districts: createCollectionCache<'districts'>(District, services),
    projects: createCollectionCache<'projects'>(Project, services),
    developers: createCollectionCache<'developers'>(Developer, services),
    amenities: createCollectionCache<'amenities'>(Amenity, services),
    unitTypes: createCollectionCache<'unitTypes'>(UnitType, services),
    finishes: createCollectionCache<'finishes'>(Finish, services),
    unitLayouts: createCollectionCache<'unitLayouts'>(UnitLayout, services),
    units: createCollectionCache<'units'>(ProjectUnit, services),
  };

  return {
    freshSeconds: client.config.PROPERTY_PROJECTS_FRESH_SECONDS,

    /**
     * @throws ServiceError not-found if the row or project does not exist
     * @throws UpstreamError if the system is down and there is no usable copy
     */
    async read<N extends ReferenceName>(query: ReferenceQuery<N>): Promise<ReferenceAnswer<Reference<N>>> {
      if (client.sandbox) callContext().sandboxes.add('property-projects');
      const { copy, isStale } = await collections[query.name].latest(query).catch(throwNotFound);
      return { items: copy.pages.flatMap(({ items }) => items), checkedAt: copy.checkedAt, isStale };
    },
  };
}

function throwNotFound(error: unknown): never {
  if (error instanceof UpstreamError && error.failure.status === 404)
    throw new ServiceError('not-found', 'The property-project system does not have this record.', {
      cause: error,
    });
  throw error;
}
