import { z } from 'zod';
import { JobState } from '../../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { invalidInput } from '../../../core/runtime/errors.ts';
import { hint } from '../../http/input-schema.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { jobsVisibleTo } from '../../jobs/job-access.ts';
import { jobPage } from '../../jobs/job-page.ts';

export default defineOperation({
  summary: 'The client’s jobs, newest first; all jobs with the scope `jobs:all`.',
  id: 'jobs.list',
  route: 'GET /jobs',
  scope: anyScope,
  request: {
    query: z.object({
      kind: z.string().max(100).optional().describe('Only jobs of this kind, such as `pdf`.'),
      state: JobState.optional().describe('Only jobs in this state.'),
      since: z.iso.datetime({ offset: true }).optional().describe('Only jobs created at this time or later.'),
      ...ListQuery.shape,
    }),
  },
  answers: {
    200: {
      description: 'A page of jobs.',
      schema: pageSchema(JobResource),
    },
  },
  async handle({ query }, call) {
    const { address, contracts } = call.services;
    if (query.kind !== undefined && !contracts.has(query.kind)) {
      const detail = `is no kind of jobs; ${hint(query.kind, [...contracts.keys()])}`;
      throw invalidInput([{ pointer: '/kind', detail, in: 'query' }]);
    }
    const { items, nextCursor } = await jobPage(call.services, {
      clientId: jobsVisibleTo(call),
      kind: query.kind,
      state: query.state,
      since: query.since === undefined ? undefined : new Date(query.since),
      limit: query.limit,
      cursor: query.cursor,
    });
    return {
      status: 200,
      headers: nextLink(call.request, nextCursor),
      body: { items: items.map(job => jobResource(job, address)), nextCursor },
    };
  },
});
