import { anyScope, defineOperation } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';
import { Explanation, explainJob } from '../../jobs/job-explanation.ts';

export default defineOperation({
  summary: 'Why a job waits, and how long it still will.',
  id: 'jobs.explain',
  method: 'GET',
  path: '/jobs/{id}/explain',
  scope: anyScope,
  request: { params: JobParams },
  answers: { 200: { description: 'The reason and an estimate.', schema: Explanation } },
  async handle({ params }, call) {
    const job = await seenJob(params.id, call);
    return {
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: await explainJob(job, call.services),
    };
  },
});
