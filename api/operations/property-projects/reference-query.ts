/** Query parameters of the reference data lists, and the filters that they set. */
import { z } from 'zod';
import { ListQuery } from '../../http/paging.ts';

const idError = 'must be an id of 1 to 64 letters, digits, hyphens or underscores';
export const ReferenceId = z.string(idError).regex(/^[A-Za-z0-9_-]{1,64}$/, idError);

export const NamedQuery = ListQuery.extend({
  search: z.string().max(100).optional().describe('Part of the English or Arabic name.'),
});
export const DistrictQuery = NamedQuery.extend({ emirateId: ReferenceId.optional().describe('Only in this emirate.') });
export const ProjectQuery = DistrictQuery.extend({
  districtId: ReferenceId.optional().describe('Only in this district.'),
  developerId: ReferenceId.optional().describe('Only of this developer.'),
  status: z.string().max(40).optional().describe('Such as off_plan or ready.'),
});
export const LayoutQuery = NamedQuery.extend({
  unitTypeId: ReferenceId.optional().describe('Only of this unit type.'),
});
export const UnitQuery = ListQuery.extend({
  projectId: z
    .string('is required: units are listed by project')
    .pipe(ReferenceId)
    .describe('The project of the units.')
    .meta({ examples: ['7001'] }),
  unitTypeId: ReferenceId.optional().describe('Only of this unit type.'),
  status: z.string().max(40).optional().describe('Such as available, reserved or sold.'),
});

type Values = Readonly<Record<string, unknown>>;

/** Whether a row has the values that a query asks for: `search` is a part of a name, the others are members of the row. */
export function filterOf(query: Values): (row: Values) => boolean {
  const filters = Object.entries(query).filter(
    ([name, wanted]) => wanted !== undefined && !Object.hasOwn(ListQuery.shape, name),
  );
  return row =>
    filters.every(([name, wanted]) =>
      name === 'search'
        ? [row.name, row.nameAr].some(text => folded(text).includes(folded(String(wanted).trim())))
        : lowerCase(row[name]) === lowerCase(wanted),
    );
}

const lowerCase = (value: unknown): string | undefined => (typeof value === 'string' ? value.toLowerCase() : undefined);

/** Without case and diacritics. */
const folded = (text: unknown): string => lowerCase(text)?.normalize('NFKD').replace(/\p{M}/gu, '') ?? '';
