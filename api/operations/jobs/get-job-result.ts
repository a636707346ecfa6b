import { anyScope, defineOperation } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';
import { resultAnswers, resultOf, resultProblems, sendResultFile } from '../../jobs/job-result.ts';

export default defineOperation({
  summary: 'Get the result of a job: a PDF or a report as JSON.',
  id: 'jobs.getResult',
  route: 'GET /jobs/{id}/result',
  scope: anyScope,
  request: { params: JobParams },
  answers: resultAnswers,
  problems: resultProblems,
  async handle({ params }, call) {
    return await sendResultFile(await resultOf(await seenJob(params.id, call), call), call);
  },
});
