import directorySystem from '../../../core/integrations/directory/system.ts';
import { DirectoryUser } from '../../../core/integrations/directory/wire.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema, rangeOf } from '../../http/paging.ts';

export default defineOperation({
  summary: 'All system users of the identity directory, in the order of their ids.',
  id: 'directory.listUsers',
  method: 'GET',
  path: '/apps/directory/v1/users',
  scope: 'directory:read',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of users.', schema: offsetPageSchema(DirectoryUser) } },
  async handle({ query }, call) {
    const range = rangeOf(query);
    return offsetPage(await directorySystem.client(call.services.systems).usersPage(range), range, call);
  },
});
