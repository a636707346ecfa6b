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
  type Reference,
  UnitLayout,
  UnitType,
} from '../../../core/integrations/property-projects/reference.ts';
import {
  type CollectionName,
  oneRow,
  unitsOf,
  wholeCollection,
} from '../../../core/integrations/property-projects/system.ts';
import { type Answer, type Call, defineOperation } from '../../http/operation.ts';
import { ListQuery } from '../../http/paging.ts';
import { answerItem, answerPage, referenceCopies, referenceItem, referencePage } from './reference-answer.ts';

const cached =
  'Answered from a copy for some minutes, then confirmed with the system; while that is down, from the last copy.';

const idError = 'must be an id of 1 to 64 letters, digits, hyphens or underscores';
const Id = z.string(idError).regex(/^[A-Za-z0-9_-]{1,64}$/, idError);
const itemParams = (example: string) => z.object({ id: Id.meta({ examples: [example] }) });

const NamedQuery = ListQuery.extend({
  search: z
    .string()
    .max(100, 'must have at most 100 characters')
    .optional()
    .describe('Part of the name, English or Arabic.'),
});

const DistrictQuery = NamedQuery.extend({ emirateId: Id.optional() });
const ProjectQuery = DistrictQuery.extend({
  districtId: Id.optional(),
  developerId: Id.optional(),
  status: z.string().max(40).optional().describe('Such as off_plan or ready.'),
});
const LayoutQuery = NamedQuery.extend({ unitTypeId: Id.optional() });
const UnitQuery = ListQuery.extend({
  projectId: z
    .string('must be given: units are listed project by project')
    .pipe(Id)
    .meta({ examples: ['7001'] }),
  unitTypeId: Id.optional(),
  status: z.string().max(40).optional().describe('Such as available, reserved or sold.'),
});

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const isFound = (
  { name, nameAr }: { name: string; nameAr: string | null },
  { search }: z.output<typeof NamedQuery>,
): boolean =>
  search === undefined || [name, nameAr ?? ''].some(text => folded(text).includes(folded(search.trim())));
const isAs = (wanted: string | undefined, actual: string | null): boolean =>
  wanted === undefined || actual?.toLowerCase() === wanted.toLowerCase();

const isWantedProject = (row: Reference<'projects'>, query: z.output<typeof ProjectQuery>): boolean =>
  isFound(row, query) &&
  isAs(query.emirateId, row.emirateId) &&
  isAs(query.districtId, row.districtId) &&
  isAs(query.developerId, row.developerId) &&
  isAs(query.status, row.status);

/** @param wanted what of the collection the caller wants */
async function answerList<N extends CollectionName>(
  name: N,
  query: z.output<typeof ListQuery>,
  call: Call,
  wanted: (row: Reference<N>) => boolean,
): Promise<Answer> {
  const answer = await referenceCopies(call.services).read(wholeCollection(name));
  return answerPage({ ...answer, items: answer.items.filter(wanted) }, query, call);
}

const answerOne = async (name: CollectionName, id: string, call: Call): Promise<Answer> =>
  answerItem(await referenceCopies(call.services).read(oneRow(name, id)), call);

const get = { method: 'GET', scope: 'projects:read' } as const;

export default [
  defineOperation({
    ...get,
    summary: `The emirates. ${cached}`,
    id: 'propertyProjects.listEmirates',
    path: '/apps/property-projects/v1/emirates',
    request: { query: NamedQuery },
    answers: referencePage(Emirate),
    handle: ({ query }, call) => answerList('emirates', query, call, row => isFound(row, query)),
  }),
  defineOperation({
    ...get,
    summary: `One emirate. ${cached}`,
    id: 'propertyProjects.getEmirate',
    path: '/apps/property-projects/v1/emirates/{id}',
    request: { params: itemParams('1') },
    answers: referenceItem(Emirate),
    handle: ({ params }, call) => answerOne('emirates', params.id, call),
  }),
  defineOperation({
    ...get,
    summary: `The districts, of one emirate or all. ${cached}`,
    id: 'propertyProjects.listDistricts',
    path: '/apps/property-projects/v1/districts',
    request: { query: DistrictQuery },
    answers: referencePage(District),
    handle: ({ query }, call) =>
      answerList(
        'districts',
        query,
        call,
        row => isFound(row, query) && isAs(query.emirateId, row.emirateId),
      ),
  }),
  defineOperation({
    ...get,
    summary: `One district. ${cached}`,
    id: 'propertyProjects.getDistrict',
    path: '/apps/property-projects/v1/districts/{id}',
    request: { params: itemParams('1000') },
    answers: referenceItem(District),
    handle: ({ params }, call) => answerOne('districts', params.id, call),
  }),
  defineOperation({
    ...get,
    summary: `The projects, by place, developer and status. ${cached}`,
    id: 'propertyProjects.listProjects',
    path: '/apps/property-projects/v1/projects',
    request: { query: ProjectQuery },
    answers: referencePage(Project),
    handle: ({ query }, call) => answerList('projects', query, call, row => isWantedProject(row, query)),
  }),
  defineOperation({
    ...get,
    summary: `One project. ${cached}`,
    id: 'propertyProjects.getProject',
    path: '/apps/property-projects/v1/projects/{id}',
    request: { params: itemParams('7001') },
    answers: referenceItem(Project),
    handle: ({ params }, call) => answerOne('projects', params.id, call),
  }),
  defineOperation({
    ...get,
    summary: `The developers. ${cached}`,
    id: 'propertyProjects.listDevelopers',
    path: '/apps/property-projects/v1/developers',
    request: { query: NamedQuery },
    answers: referencePage(Developer),
    handle: ({ query }, call) => answerList('developers', query, call, row => isFound(row, query)),
  }),
  defineOperation({
    ...get,
    summary: `One developer. ${cached}`,
    id: 'propertyProjects.getDeveloper',
    path: '/apps/property-projects/v1/developers/{id}',
    request: { params: itemParams('5') },
    answers: referenceItem(Developer),
    handle: ({ params }, call) => answerOne('developers', params.id, call),
  }),
  defineOperation({
    ...get,
    summary: `The amenities that projects have. ${cached}`,
    id: 'propertyProjects.listAmenities',
    path: '/apps/property-projects/v1/amenities',
    request: { query: NamedQuery },
    answers: referencePage(Amenity),
    handle: ({ query }, call) => answerList('amenities', query, call, row => isFound(row, query)),
  }),
  defineOperation({
    ...get,
    summary: `The types of units. ${cached}`,
    id: 'propertyProjects.listUnitTypes',
    path: '/apps/property-projects/v1/unit-types',
    request: { query: NamedQuery },
    answers: referencePage(UnitType),
    handle: ({ query }, call) => answerList('unitTypes', query, call, row => isFound(row, query)),
  }),
  defineOperation({
    ...get,
    summary: `The finishes of units. ${cached}`,
    id: 'propertyProjects.listFinishes',
    path: '/apps/property-projects/v1/finishes',
    request: { query: NamedQuery },
    answers: referencePage(Finish),
    handle: ({ query }, call) => answerList('finishes', query, call, row => isFound(row, query)),
  }),
  defineOperation({
    ...get,
    summary: `The layouts of units, of one type or all. ${cached}`,
    id: 'propertyProjects.listUnitLayouts',
    path: '/apps/property-projects/v1/unit-layouts',
    request: { query: LayoutQuery },
    answers: referencePage(UnitLayout),
    handle: ({ query }, call) =>
      answerList(
        'unitLayouts',
        query,
        call,
        row => isFound(row, query) && isAs(query.unitTypeId, row.unitTypeId),
      ),
  }),
  defineOperation({
    ...get,
    summary: `The units of a project. ${cached}`,
    id: 'propertyProjects.listUnits',
    path: '/apps/property-projects/v1/units',
    request: { query: UnitQuery },
    answers: referencePage(ProjectUnit),
    async handle({ query }, call) {
      const answer = await referenceCopies(call.services).read(unitsOf(query.projectId));
      const items = answer.items.filter(
        unit => isAs(query.unitTypeId, unit.unitTypeId) && isAs(query.status, unit.status),
      );
      return answerPage({ ...answer, items }, query, call);
    },
  }),
];
