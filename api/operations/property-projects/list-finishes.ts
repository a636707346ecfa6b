import { wholeList } from './reference-answer.ts';
import { NamedQuery } from './reference-query.ts';

export default wholeList('listFinishes', 'finishes', 'List the finishes of units.', NamedQuery);
