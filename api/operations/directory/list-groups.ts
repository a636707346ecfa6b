import directorySystem from '../../../core/integrations/directory/system.ts';
import { DirectoryGroup } from '../../../core/integrations/directory/wire.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema, rangeOf } from '../../http/paging.ts';

export default defineOperation({
  summary: 'All user groups of the identity directory, in the order of their ids.',
  id: 'directory.listGroups',
  method: 'GET',
  path: '/apps/directory/v1/groups',
  scope: 'directory:read',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of groups.', schema: offsetPageSchema(DirectoryGroup) } },
  async handle({ query }, call) {
    const range = rangeOf(query);
    return offsetPage(await directorySystem.client(call.services.systems).groupsPage(range), range, call);
  },
});
