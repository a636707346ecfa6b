import { wholeList } from './reference-answer.ts';
import { NamedQuery } from './reference-query.ts';

export default wholeList('listEmirates', 'emirates', 'List the emirates.', NamedQuery);
