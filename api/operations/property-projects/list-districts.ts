import { wholeList } from './reference-answer.ts';
import { DistrictQuery } from './reference-query.ts';

export default wholeList('listDistricts', 'districts', 'List districts, of one emirate or all.', DistrictQuery);
