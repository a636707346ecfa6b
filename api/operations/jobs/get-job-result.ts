import { resultAnswers, resultOf, sendResultFile } from '../../job-result.ts';
import { anyScope, defineOperation } from '../../operation.ts';
import { JobParams, seenJob } from '../../own-job.ts';

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
