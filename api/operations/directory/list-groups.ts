import directorySystem from '../../../core/integrations/directory/system.ts';
import { DirectoryGroup } from '../../../core/integrations/directory/wire.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema } from '../../http/paging.ts';

export default defineOperation({
  summary: 'List all user groups of the identity directory, sorted by id.',
  id: 'directory.listGroups',
  route: 'GET /apps/directory/v1/groups',
  scope: 'directory:read',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of groups.', schema: offsetPageSchema(DirectoryGroup) } },
  calls: [directorySystem],
  handle: ({ query }, call) =>
    offsetPage(query, call, range => directorySystem.client(call.services.systems).groupsPage(range)),
});
