import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { ProjectUser, ProjectUserFields } from '../../../core/integrations/property-projects/user.ts';
import { defineOperation } from '../../http/operation.ts';
import { noSuchProjectUser, ProjectUserParams } from './project-user.ts';

export default defineOperation({
  summary: 'Replace a user of the property-project system: a field that is left out takes its default.',
  id: 'propertyProjects.replaceUser',
  method: 'PUT',
  path: '/apps/property-projects/v1/users/{id}',
  scope: 'projects:write',
  request: { params: ProjectUserParams, body: ProjectUserFields },
  answers: { 200: { description: 'The user as it is now.', schema: ProjectUser } },
  async handle({ params, body }, { services }) {
    const user = await propertyProjects.client(services.systems).updateUser(params.id, body);
    if (!user) throw noSuchProjectUser();
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: user };
  },
});
