import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { noSuchProjectUser, ProjectUserParams } from './project-user.ts';

export default defineOperation({
  summary: 'Delete a user of the property-project system.',
  id: 'propertyProjects.deleteUser',
  method: 'DELETE',
  path: '/apps/property-projects/v1/users/{id}',
  scope: 'projects:write',
  request: { params: ProjectUserParams },
  answers: { 204: { description: 'The user is gone.' } },
  async handle({ params }, { services }) {
    if (!(await propertyProjects.client(services.systems).deleteUser(params.id))) throw noSuchProjectUser();
    return { status: 204 };
  },
});
