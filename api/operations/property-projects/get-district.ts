import { referenceItem } from './reference-answer.ts';

export default referenceItem('getDistrict', 'districts', 'Get a district.', '1000');
