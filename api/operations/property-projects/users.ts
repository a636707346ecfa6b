import { z } from 'zod';
import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { ProjectUser, ProjectUserFields } from '../../../core/integrations/property-projects/user.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema } from '../../http/paging.ts';
import { ReferenceId } from './reference-query.ts';

const UserParams = z.object({
  id: ReferenceId.describe('The user’s id in the property-project system.').meta({ examples: ['31'] }),
});

const notFound = (): ServiceError => new ServiceError('not-found', 'The property-project system has no such user.');

const list = defineOperation({
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

const create = defineOperation({
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

const replace = defineOperation({
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
    if (!user) throw notFound();
    return ok(user);
  },
});

const remove = defineOperation({
  summary: 'Delete a user of the property-project system.',
  id: 'propertyProjects.deleteUser',
  route: 'DELETE /apps/property-projects/v1/users/{id}',
  scope: 'projects:write',
  request: { params: UserParams },
  answers: { 204: { description: 'The user is deleted.' } },
  calls: [propertyProjects],
  async handle({ params }, { services }) {
    if (!(await propertyProjects.client(services.systems).deleteUser(params.id))) throw notFound();
    return { status: 204 };
  },
});

export default [list, create, replace, remove];
