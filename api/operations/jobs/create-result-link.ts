import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { JobParams, ownJob } from '../../jobs/job-access.ts';
import { resultOf } from '../../jobs/job-result.ts';
import { resultLink } from '../../jobs/result-link.ts';

const longest = 7 * 24 * 3_600;
const bounds = `must be a whole number from 1 to ${longest}`;

export default defineOperation({
  summary: 'A link to the result that opens without a token, in a browser too, until it expires.',
  id: 'jobs.createResultLink',
  method: 'POST',
  path: '/jobs/{id}/result-link',
  scope: anyScope,
  request: {
    params: JobParams,
    body: z
      .object({
        expiresInSeconds: z
          .int(bounds)
          .min(1, bounds)
          .max(longest, bounds)
          .default(3_600)
          .describe('The link expires with the result at the latest.'),
      })
      .prefault({}),
  },
  answers: {
    201: {
      description: 'The link. Whoever has it can read the result, and nothing else.',
      schema: z.object({ url: z.url(), expiresAt: z.iso.datetime() }),
      example: {
        url: 'https://portal.example/v2/results/pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11?expires=1769850000&signature=4Zk2…',
        expiresAt: '2026-01-31T09:00:00.000Z',
      },
    },
  },
  async handle({ params, body }, call) {
    const job = await resultOf(await ownJob(params.id, call), call);
    const wanted = Math.floor(Date.now() / 1_000) + body.expiresInSeconds;
    const latest = Math.floor((job.resultExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY) / 1_000);
    const expires = Math.min(wanted, latest);
    if (expires * 1_000 <= Date.now()) throw new ServiceError('gone', 'The result is just about to expire.');
    return {
      status: 201,
      headers: { 'cache-control': 'no-store' },
      body: {
        url: await resultLink({ jobId: job.id, expires }, call.services),
        expiresAt: new Date(expires * 1_000).toISOString(),
      },
    };
  },
});
