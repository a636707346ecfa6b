import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { ProjectUser } from '../../../core/integrations/property-projects/user.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema, rangeOf } from '../../http/paging.ts';

export default defineOperation({
  summary: 'The users of the property-project system, as it has them now.',
  id: 'propertyProjects.listUsers',
  method: 'GET',
  path: '/apps/property-projects/v1/users',
  scope: 'projects:read',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of users.', schema: offsetPageSchema(ProjectUser) } },
  async handle({ query }, call) {
    const range = rangeOf(query);
    return offsetPage(await propertyProjects.client(call.services.systems).usersPage(range), range, call);
  },
});
