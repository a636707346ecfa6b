import { createLinkOperation } from './create-link-operation.ts';

export default createLinkOperation(
  'project',
  'links.createProject',
  '/apps/links/v1/projects',
  'Create a project link, from query parameters or from a JSON body.',
);
