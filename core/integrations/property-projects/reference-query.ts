/** What can be read of the reference data: a collection, one row of it, the units of a project. */
import type { ReferenceName } from './reference.ts';
import { referencePaths } from './wire.ts';

export interface ReferenceQuery<N extends ReferenceName = ReferenceName> {
  name: N;
  /** Below the system's address. */
  path: string;
  /** One row, and not pages of them. */
  isOne: boolean;
}

/** The collections that stand by themselves. */
export type CollectionName = Exclude<ReferenceName, 'units'>;

export const wholeCollection = <N extends CollectionName>(name: N): ReferenceQuery<N> => ({
  name,
  path: referencePaths[name],
  isOne: false,
});

export const oneRow = <N extends CollectionName>(name: N, id: string): ReferenceQuery<N> => ({
  name,
  path: `${referencePaths[name]}/${encodeURIComponent(id)}`,
  isOne: true,
});

export const unitsOf = (projectId: string): ReferenceQuery<'units'> => ({
  name: 'units',
  path: `/projects/${encodeURIComponent(projectId)}/units`,
  isOne: false,
});
