import { listLinksOperation } from './list-links-operation.ts';

export default listLinksOperation(
  'project',
  'links.listProjects',
  '/apps/links/v1/projects',
  'List all project links with their child links and clicks.',
);
