import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { isFinal } from '../../../core/job-record.ts';
import { sendResultFile } from '../../job-result.ts';
import { anyScope, defineOperation } from '../../operation.ts';
import { JobParams, ownJob } from '../../own-job.ts';

export default defineOperation({
  summary:
    'What a job made: a PDF with ETag and ranges, or a report as JSON. 409 while unfinished, 410 once expired.',
  id: 'jobs.getResult',
  method: 'GET',
  path: '/jobs/{id}/result',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: {
      description: 'The report, or the file.',
      schema: z.record(z.string(), z.unknown()),
      orContentType: 'application/pdf',
    },
    206: { description: 'The part that `Range` asked for.', contentType: 'application/pdf' },
    304: { description: 'The file is the one of `If-None-Match`.' },
  },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    if (job.state === 'succeeded') return sendResultFile(job, call);
    throw new ServiceError(
      'conflict',
      isFinal(job.state)
        ? `The job was not finished: it is ${job.state}.`
        : `The job is ${job.state}; its result comes when it has succeeded.`,
      isFinal(job.state) ? {} : { retryAfterSeconds: await call.services.times.retryAfterSeconds(job) },
    );
  },
});
