import { wholeList } from './reference-answer.ts';
import { NamedQuery } from './reference-query.ts';

export default wholeList('listAmenities', 'amenities', 'List the amenities of projects.', NamedQuery);
