import directorySystem from '../../../core/integrations/directory/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema, rangeOf } from '../../http/paging.ts';
import { DirectoryId, StateJobResource, stateJobResource } from './directory-resource.ts';

export default defineOperation({
  summary: 'The scheduled changes of users’ states that the identity directory has not carried out yet.',
  id: 'directory.listStateJobs',
  method: 'GET',
  path: '/apps/directory/v1/user-state-jobs',
  scope: 'directory:read',
  request: {
    query: ListQuery.extend({ userId: DirectoryId.optional().describe('Only those of this user.') }),
  },
  answers: { 200: { description: 'A page of jobs.', schema: offsetPageSchema(StateJobResource) } },
  async handle({ query }, call) {
    const range = rangeOf(query);
    const directory = directorySystem.client(call.services.systems);
    const { items, total } = await directory.stateJobsPage(range, query.userId);
    return offsetPage({ items: items.map(stateJobResource), total }, range, call);
  },
});
