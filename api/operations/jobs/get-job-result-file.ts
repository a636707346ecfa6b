import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';
import { fileHeaderNames, resultOf, resultProblems, sendResultFile } from '../../jobs/job-result.ts';

export default defineOperation({
  summary: 'Get one file of a result with several files, by its name in `result.files`.',
  id: 'jobs.getResultFile',
  route: 'GET /jobs/{id}/result/files/{name}',
  scope: anyScope,
  request: {
    params: JobParams.extend({
      name: z
        .string()
        .max(200)
        .describe('Name of the file.')
        .meta({ examples: ['MP-S-2041-square.jpg'] }),
    }),
  },
  answers: {
    200: {
      description: 'The file with its SHA-256 in `Content-Digest`.',
      contentType: 'image/jpeg',
      orContentType: ['image/png', 'application/pdf'],
      headers: [...fileHeaderNames, 'Content-Digest'],
    },
    206: {
      description: 'The requested `Range`, with the SHA-256 of the whole file in `Repr-Digest`.',
      contentType: 'image/jpeg',
      orContentType: ['image/png', 'application/pdf'],
      headers: [...fileHeaderNames, 'Repr-Digest', 'Content-Range'],
    },
    304: { description: 'The file matches `If-None-Match`.', headers: fileHeaderNames },
  },
  problems: resultProblems,
  async handle({ params }, call) {
    const job = await resultOf(await seenJob(params.id, call), call);
    if (!job.resultFile) throw new ServiceError('not-found', 'The result of this job has no files.');
    return await sendResultFile(job, call, { part: params.name });
  },
});
