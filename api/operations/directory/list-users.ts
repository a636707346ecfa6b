import directorySystem from '../../../core/integrations/directory/system.ts';
import { DirectoryUser } from '../../../core/integrations/directory/wire.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema } from '../../http/paging.ts';

export default defineOperation({
  summary: 'List all system users of the identity directory, sorted by id.',
  id: 'directory.listUsers',
  route: 'GET /apps/directory/v1/users',
  scope: 'directory:read',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of users.', schema: offsetPageSchema(DirectoryUser) } },
  calls: [directorySystem],
  handle: ({ query }, call) =>
    offsetPage(query, call, range => directorySystem.client(call.services.systems).usersPage(range)),
});
