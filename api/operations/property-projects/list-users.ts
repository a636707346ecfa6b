import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { ProjectUser } from '../../../core/integrations/property-projects/user.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema } from '../../http/paging.ts';

export default defineOperation({
  summary: 'List the users of the property-project system, without a cache.',
  id: 'propertyProjects.listUsers',
  route: 'GET /apps/property-projects/v1/users',
  scope: 'projects:read',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of users.', schema: offsetPageSchema(ProjectUser) } },
  calls: [propertyProjects],
  handle: ({ query }, call) =>
    offsetPage(query, call, range => propertyProjects.client(call.services.systems).usersPage(range)),
});
