/** Reference data of the property-project system, from emirates to units: lists and single records. */
import { unitsOf } from '../../../core/integrations/property-projects/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { answerList, referenceItem, referenceList, wholeList } from './reference-answer.ts';
import { DistrictQuery, LayoutQuery, NamedQuery, ProjectQuery, UnitQuery } from './reference-query.ts';

export default [
  wholeList('listEmirates', 'emirates', 'List the emirates.', NamedQuery),
  referenceItem('getEmirate', 'emirates', 'Get an emirate.', '1'),
  wholeList('listDistricts', 'districts', 'List districts, of one emirate or all.', DistrictQuery),
  referenceItem('getDistrict', 'districts', 'Get a district.', '1000'),
  wholeList('listProjects', 'projects', 'List projects by place, developer and status.', ProjectQuery),
  referenceItem('getProject', 'projects', 'Get a project.', '7001'),
  wholeList('listDevelopers', 'developers', 'List the developers.', NamedQuery),
  referenceItem('getDeveloper', 'developers', 'Get a developer.', '5'),
  wholeList('listAmenities', 'amenities', 'List the amenities of projects.', NamedQuery),
  wholeList('listUnitTypes', 'unitTypes', 'List the unit types.', NamedQuery),
  wholeList('listFinishes', 'finishes', 'List the finishes of units.', NamedQuery),
  wholeList('listUnitLayouts', 'unitLayouts', 'List unit layouts, of one unit type or all.', LayoutQuery),
  defineOperation({
    ...referenceList('listUnits', 'units', 'List the units of a project.'),
    request: { query: UnitQuery },
    problems: { 'not-found': 'There is no such project.' },
    handle: ({ query: { projectId, ...query } }, call) => answerList(unitsOf(projectId), query, call),
  }),
];
