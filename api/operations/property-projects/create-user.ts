import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { ProjectUser, ProjectUserFields } from '../../../core/integrations/property-projects/user.ts';
import { defineOperation } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Create a user of the property-project system. An e-mail that is taken there: 409.',
  id: 'propertyProjects.createUser',
  method: 'POST',
  path: '/apps/property-projects/v1/users',
  scope: 'projects:write',
  idempotent: true,
  request: { body: ProjectUserFields },
  answers: { 201: { description: 'The user.', schema: ProjectUser } },
  async handle({ body }, { services }) {
    const user = await propertyProjects.client(services.systems).createUser(body);
    return { status: 201, headers: { 'cache-control': 'no-store' }, body: user };
  },
});
