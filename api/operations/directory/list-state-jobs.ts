import directorySystem from '../../../core/integrations/directory/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { ListQuery, offsetPage, offsetPageSchema } from '../../http/paging.ts';
import { DirectoryId } from './directory-id.ts';
import { StateJobResource } from './state-job-resource.ts';

export default defineOperation({
  summary: 'List the scheduled changes of users’ states that the identity directory has not executed yet.',
  id: 'directory.listStateJobs',
  route: 'GET /apps/directory/v1/user-state-jobs',
  scope: 'directory:read',
  request: {
    query: ListQuery.extend({ userId: DirectoryId.optional().describe('Only jobs of this user.') }),
  },
  answers: { 200: { description: 'A page of jobs.', schema: offsetPageSchema(StateJobResource) } },
  calls: [directorySystem],
  handle: ({ query }, call) =>
    offsetPage(query, call, range => directorySystem.client(call.services.systems).stateJobsPage(range, query.userId)),
});
