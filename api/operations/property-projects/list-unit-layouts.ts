import { wholeList } from './reference-answer.ts';
import { LayoutQuery } from './reference-query.ts';

export default wholeList('listUnitLayouts', 'unitLayouts', 'List unit layouts, of one unit type or all.', LayoutQuery);
