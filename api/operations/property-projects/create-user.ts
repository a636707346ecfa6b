import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { ProjectUser, ProjectUserFields } from '../../../core/integrations/property-projects/user.ts';
import { defineOperation } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Create a user of the property-project system. Returns 409 if the e-mail address is in use there.',
  id: 'propertyProjects.createUser',
  route: 'POST /apps/property-projects/v1/users',
  scope: 'projects:write',
  idempotent: true,
  request: { body: ProjectUserFields },
  answers: { 201: { description: 'The user.', schema: ProjectUser } },
  problems: { conflict: 'The e-mail address is in use there.' },
  calls: [propertyProjects],
  async handle({ body }, { services }) {
    const user = await propertyProjects.client(services.systems).createUser(body);
    return { status: 201, body: user };
  },
});
