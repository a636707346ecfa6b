/** Reference data of the property-project system, from emirates to units: lists and single records. */
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
} from '../../../core/integrations/property-projects/reference.ts';
import { unitsOf } from '../../../core/integrations/property-projects/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { answerList, answerPage, referenceCache, referenceItem, referenceList } from './reference-answer.ts';
import {
  DistrictQuery,
  equals,
  isInProjectQuery,
  LayoutQuery,
  matchesName,
  NamedQuery,
  ProjectQuery,
  UnitQuery,
} from './reference-query.ts';

export default [
  defineOperation({
    ...referenceList('listEmirates', 'emirates', 'List the emirates.', Emirate),
    request: { query: NamedQuery },
    handle: ({ query }, call) => answerList('emirates', query, call, row => matchesName(row, query)),
  }),
  referenceItem('getEmirate', 'emirates', 'Get an emirate.', Emirate, '1'),
  defineOperation({
    ...referenceList('listDistricts', 'districts', 'List districts, of one emirate or all.', District),
    request: { query: DistrictQuery },
    handle: ({ query }, call) =>
      answerList(
        'districts',
        query,
        call,
        row => matchesName(row, query) && equals(query.emirateId, row.emirateId),
      ),
  }),
  referenceItem('getDistrict', 'districts', 'Get a district.', District, '1000'),
  defineOperation({
    ...referenceList('listProjects', 'projects', 'List projects by place, developer and status.', Project),
    request: { query: ProjectQuery },
    handle: ({ query }, call) => answerList('projects', query, call, row => isInProjectQuery(row, query)),
  }),
  referenceItem('getProject', 'projects', 'Get a project.', Project, '7001'),
  defineOperation({
    ...referenceList('listDevelopers', 'developers', 'List the developers.', Developer),
    request: { query: NamedQuery },
    handle: ({ query }, call) => answerList('developers', query, call, row => matchesName(row, query)),
  }),
  referenceItem('getDeveloper', 'developers', 'Get a developer.', Developer, '5'),
  defineOperation({
    ...referenceList('listAmenities', 'amenities', 'List the amenities of projects.', Amenity),
    request: { query: NamedQuery },
    handle: ({ query }, call) => answerList('amenities', query, call, row => matchesName(row, query)),
  }),
  defineOperation({
    ...referenceList('listUnitTypes', 'unit-types', 'List the unit types.', UnitType),
    request: { query: NamedQuery },
    handle: ({ query }, call) => answerList('unitTypes', query, call, row => matchesName(row, query)),
  }),
  defineOperation({
    ...referenceList('listFinishes', 'finishes', 'List the finishes of units.', Finish),
    request: { query: NamedQuery },
    handle: ({ query }, call) => answerList('finishes', query, call, row => matchesName(row, query)),
  }),
  defineOperation({
    ...referenceList(
      'listUnitLayouts',
      'unit-layouts',
      'List unit layouts, of one unit type or all.',
      UnitLayout,
    ),
    request: { query: LayoutQuery },
    handle: ({ query }, call) =>
      answerList(
        'unitLayouts',
        query,
        call,
        row => matchesName(row, query) && equals(query.unitTypeId, row.unitTypeId),
      ),
  }),
  defineOperation({
    ...referenceList('listUnits', 'units', 'List the units of a project.', ProjectUnit),
    request: { query: UnitQuery },
    async handle({ query }, call) {
      const answer = await referenceCache(call.services).read(unitsOf(query.projectId));
      const items = answer.items.filter(
        unit => equals(query.unitTypeId, unit.unitTypeId) && equals(query.status, unit.status),
      );
      return answerPage({ ...answer, items }, query, call);
    },
  }),
];
