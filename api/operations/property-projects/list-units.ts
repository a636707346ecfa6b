import { unitsOf } from '../../../core/integrations/property-projects/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { answerList, referenceList } from './reference-answer.ts';
import { UnitQuery } from './reference-query.ts';

export default defineOperation({
  ...referenceList('listUnits', 'units', 'List the units of a project.'),
  request: { query: UnitQuery },
  problems: { 'not-found': 'There is no such project.' },
  handle: ({ query: { projectId, ...query } }, call) => answerList(unitsOf(projectId), query, call),
});
