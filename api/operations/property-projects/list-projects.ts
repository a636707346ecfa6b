import { wholeList } from './reference-answer.ts';
import { ProjectQuery } from './reference-query.ts';

export default wholeList('listProjects', 'projects', 'List projects by place, developer and status.', ProjectQuery);
