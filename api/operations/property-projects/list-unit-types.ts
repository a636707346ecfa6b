import { wholeList } from './reference-answer.ts';
import { NamedQuery } from './reference-query.ts';

export default wholeList('listUnitTypes', 'unitTypes', 'List the unit types.', NamedQuery);
