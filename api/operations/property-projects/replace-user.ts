import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { ProjectUser, ProjectUserFields } from '../../../core/integrations/property-projects/user.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { UserParams, userNotFound } from './user-resource.ts';

export default defineOperation({
  summary: 'Replace a user of the property-project system; omitted fields take their defaults.',
  id: 'propertyProjects.replaceUser',
  route: 'PUT /apps/property-projects/v1/users/{id}',
  scope: 'projects:write',
  request: { params: UserParams, body: ProjectUserFields },
  answers: { 200: { description: 'The user after the change.', schema: ProjectUser } },
  problems: { conflict: 'The e-mail address is in use there.' },
  calls: [propertyProjects],
  async handle({ params, body }, { services }) {
    const user = await propertyProjects.client(services.systems).updateUser(params.id, body);
    if (!user) throw userNotFound();
    return ok(user);
  },
});
