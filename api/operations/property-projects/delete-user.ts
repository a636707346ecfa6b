import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { UserParams, userNotFound } from './user-resource.ts';

export default defineOperation({
  summary: 'Delete a user of the property-project system.',
  id: 'propertyProjects.deleteUser',
  route: 'DELETE /apps/property-projects/v1/users/{id}',
  scope: 'projects:write',
  request: { params: UserParams },
  answers: { 204: { description: 'The user is deleted.' } },
  calls: [propertyProjects],
  async handle({ params }, { services }) {
    if (!(await propertyProjects.client(services.systems).deleteUser(params.id))) throw userNotFound();
    return { status: 204 };
  },
});
