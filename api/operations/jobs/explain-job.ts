import { Explanation, explainJob } from '../../job-explanation.ts';
import { anyScope, defineOperation } from '../../operation.ts';
import { JobParams, seenJob } from '../../own-job.ts';

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
