import { wholeList } from './reference-answer.ts';
import { NamedQuery } from './reference-query.ts';

export default wholeList('listDevelopers', 'developers', 'List the developers.', NamedQuery);
