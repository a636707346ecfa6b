import { z } from 'zod';
import { JobState } from '../../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { hint } from '../../http/input-schema.ts';
import { anyScope, defineOperation, ok } from '../../http/operation.ts';
import { ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { jobsVisibleTo } from '../../jobs/job-access.ts';
import { jobPage } from '../../jobs/job-page.ts';

const KindQuery = z.object({
  kind: z.string().max(100).optional().describe('Only jobs of this kind, such as `pdf`.'),
});

export default defineOperation({
  summary: 'List the client’s jobs, newest first; all jobs with the scope `jobs:all`.',
  id: 'jobs.list',
  route: 'GET /jobs',
  scope: anyScope,
  request: {
    query: z.object({
      ...KindQuery.shape,
      state: JobState.optional().describe('Only jobs in this state.'),
      since: z.iso.datetime({ offset: true }).optional().describe('Only jobs created at this time or later.'),
      ...ListQuery.shape,
    }),
  },
  answers: {
    200: { description: 'A page of jobs.', schema: pageSchema(JobResource) },
  },
  findFaults({ query }, { contracts }) {
    const kind = KindQuery.safeParse(query).data?.kind;
    if (kind === undefined || contracts.has(kind)) return [];
    const detail = `is no kind of jobs; ${hint(kind, [...contracts.keys()])}`;
    return [{ pointer: '/kind', detail, in: 'query' }];
  },
  async handle({ query }, call) {
    const { address } = call.services;
    const { items, nextCursor } = await jobPage(call.services, {
      clientId: jobsVisibleTo(call),
      kind: query.kind,
      state: query.state,
      since: query.since === undefined ? undefined : new Date(query.since),
      limit: query.limit,
      cursor: query.cursor,
    });
    const shown = { items: items.map(job => jobResource(job, address)), nextCursor };
    return ok(shown, nextLink(call.request, nextCursor));
  },
});
