import { referenceItem } from './reference-answer.ts';

export default referenceItem('getProject', 'projects', 'Get a project.', '7001');
