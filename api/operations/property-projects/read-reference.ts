/** The reference data of the property-project system: emirates to units, as lists and one by one. */
import { z } from 'zod';
import {
  Amenity,
  Developer,
  District,
  Emirate,
  Finish,
  Project,
  ProjectUnit,
  UnitLayout,
  UnitType,
} from '../../../core/systems/property-projects/reference.ts';
import { type CollectionName, oneRow, unitsOf, wholeCollection } from '../../../core/systems/property-projects/reference-query.ts';
import { type AnswerDescription, type Call, defineOperation, type Operation } from '../../operation.ts';
import { ListQuery } from '../../paging.ts';
import { answerItem, answerPage, referenceCopies, referenceItem, referencePage } from '../../reference-answer.ts';

const scope = 'projects:read';
const cached =
  'Answered from a copy for some minutes, then confirmed with the system; while that is down, from the last copy.';

const idError = 'must be an id of 1 to 64 letters, digits, hyphens or underscores';
const Id = z.string(idError).regex(/^[A-Za-z0-9_-]{1,64}$/, idError);
const ItemParams = z.object({ id: Id });

const NamedQuery = ListQuery.extend({
  search: z.string().max(100, 'must have at most 100 characters').optional().describe('Part of the name, English or Arabic.'),
});
type NamedQuery = z.output<typeof NamedQuery>;

const DistrictQuery = NamedQuery.extend({ emirateId: Id.optional() });
const ProjectQuery = DistrictQuery.extend({
  districtId: Id.optional(),
  developerId: Id.optional(),
  status: z.string().max(40).optional().describe('Such as off_plan or ready.'),
});
const LayoutQuery = NamedQuery.extend({ unitTypeId: Id.optional() });
const UnitQuery = ListQuery.extend({
  projectId: z.string('must be given: units are listed project by project').pipe(Id),
  unitTypeId: Id.optional(),
  status: z.string().max(40).optional().describe('Such as available, reserved or sold.'),
});

/** What of a list a caller wants. */
type Wanted<Q, R> = (row: R, query: Q) => boolean;

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const isFound: Wanted<NamedQuery, { name: string; nameAr: string | null }> = ({ name, nameAr }, { search }) =>
  search === undefined || [name, nameAr ?? ''].some(text => folded(text).includes(folded(search.trim())));
const isSame = (actual: string | null, wanted: string | undefined): boolean => wanted === undefined || actual === wanted;

export default [
  defineOperation({
    summary: `Emirates. ${cached}`,
    id: 'propertyProjects.listEmirates',
    method: 'GET',
    path: '/apps/property-projects/v1/emirates',
    scope,
    request: { query: NamedQuery },
    answers: referencePage(Emirate),
    handle: async ({ query }, call) => await list('emirates', query, call, isFound),
  }),
  defineOperation({
    ...oneOf('emirates', Emirate),
    summary: `An emirate. ${cached}`,
    id: 'propertyProjects.getEmirate',
    path: '/apps/property-projects/v1/emirates/{id}',
  }),
];
