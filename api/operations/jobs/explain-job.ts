import { anyScope, defineOperation, ok } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';
import { Explanation, explainJob } from '../../jobs/job-explanation.ts';

export default defineOperation({
  summary: 'Explain why a job waits, and estimate its start and end.',
  id: 'jobs.explain',
  route: 'GET /jobs/{id}/explain',
  scope: anyScope,
  request: { params: JobParams },
  answers: { 200: { description: 'The reason and the estimates.', schema: Explanation } },
  async handle({ params }, call) {
    return ok(await explainJob(await seenJob(params.id, call), call.services));
  },
});
