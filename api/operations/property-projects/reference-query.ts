/** Query parameters of the reference data lists, and the filters that they set. */
import { z } from 'zod';
import type { Reference } from '../../../core/integrations/property-projects/reference.ts';
import { ListQuery } from '../../http/paging.ts';

const idError = 'must be an id of 1 to 64 letters, digits, hyphens or underscores';
export const ReferenceId = z.string(idError).regex(/^[A-Za-z0-9_-]{1,64}$/, idError);

export const NamedQuery = ListQuery.extend({
  search: z
    .string()
    .max(100, 'must have at most 100 characters')
    .optional()
    .describe('Part of the English or Arabic name.'),
});
export const DistrictQuery = NamedQuery.extend({ emirateId: ReferenceId.optional() });
export const ProjectQuery = DistrictQuery.extend({
  districtId: ReferenceId.optional(),
  developerId: ReferenceId.optional(),
  status: z.string().max(40).optional().describe('Such as off_plan or ready.'),
});
export const LayoutQuery = NamedQuery.extend({ unitTypeId: ReferenceId.optional() });
export const UnitQuery = ListQuery.extend({
  projectId: z
    .string('is required: units are listed by project')
    .pipe(ReferenceId)
    .meta({ examples: ['7001'] }),
  unitTypeId: ReferenceId.optional(),
  status: z.string().max(40).optional().describe('Such as available, reserved or sold.'),
});

/** Ignores case and diacritics. */
export const matchesName = (
  { name, nameAr }: { name: string; nameAr: string | null },
  { search }: z.output<typeof NamedQuery>,
): boolean =>
  search === undefined || [name, nameAr ?? ''].some(text => folded(text).includes(folded(search.trim())));

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** True without a filter; ignores case. */
export const equals = (filter: string | undefined, value: string | null): boolean =>
  filter === undefined || value?.toLowerCase() === filter.toLowerCase();

export const isInProjectQuery = (row: Reference<'projects'>, query: z.output<typeof ProjectQuery>): boolean =>
  matchesName(row, query) &&
  equals(query.emirateId, row.emirateId) &&
  equals(query.districtId, row.districtId) &&
  equals(query.developerId, row.developerId) &&
  equals(query.status, row.status);
