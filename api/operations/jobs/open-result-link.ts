import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { JobParams } from '../../jobs/job-access.ts';
import { resultAnswers, sendResultFile } from '../../jobs/job-result.ts';
import { isSigned } from '../../jobs/result-link.ts';

export default defineOperation({
  summary: 'Opens a link of `POST /jobs/{id}/result-link`: the result as `GET /jobs/{id}/result` answers it.',
  id: 'jobs.openResultLink',
  method: 'GET',
  path: '/results/{id}',
  scope: null,
  request: {
    params: JobParams,
    query: z.object({
      expires: z
        .string()
        .regex(/^\d{1,12}$/, 'must be a time in seconds since 1970')
        .transform(Number)
        .meta({ examples: ['1769850000'] }),
      signature: z
        .string()
        .max(100)
        .meta({ examples: ['4Zk2…'] }),
    }),
  },
  answers: resultAnswers,
  async handle({ params, query }, call) {
    const ticket = { jobId: params.id, expires: query.expires };
    if (!(await isSigned(ticket, query.signature, call.services))) throw noSuchLink();
    if (ticket.expires * 1_000 <= Date.now()) throw new ServiceError('gone', 'The link has expired.');
    const job = await call.services.records.find(ticket.jobId);
    if (job?.state !== 'succeeded') throw new ServiceError('gone', 'The result is no longer there.');
    const answer = await sendResultFile(job, call);
    // The address is the key: it must not be told to others, nor be found.
    const discreet = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' };
    return { ...answer, headers: { ...answer.headers, ...discreet } };
  },
});

const noSuchLink = (): ServiceError => new ServiceError('not-found', 'There is no such link.');
