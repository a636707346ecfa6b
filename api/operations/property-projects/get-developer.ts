import { referenceItem } from './reference-answer.ts';

export default referenceItem('getDeveloper', 'developers', 'Get a developer.', '5');
