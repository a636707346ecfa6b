import { referenceItem } from './reference-answer.ts';

export default referenceItem('getEmirate', 'emirates', 'Get an emirate.', '1');
