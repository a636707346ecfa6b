import { anyScope, defineOperation } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';
import { resultAnswers, resultOf, sendResultFile } from '../../jobs/job-result.ts';

export default defineOperation({
  summary:
    'What a job made: a PDF with ETag and ranges, or a report as JSON. 409 while unfinished, 410 once expired.',
  id: 'jobs.getResult',
  method: 'GET',
  path: '/jobs/{id}/result',
  scope: anyScope,
  request: { params: JobParams },
  answers: resultAnswers,
  async handle({ params }, call) {
    return await sendResultFile(await resultOf(await seenJob(params.id, call), call), call);
  },
});
