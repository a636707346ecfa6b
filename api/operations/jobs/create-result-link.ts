import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { inSeconds, linkLifetime, SignedLinkResource, signedLinkAnswer } from '../../http/signed-link.ts';
import { JobParams, ownJob, ownJobProblems } from '../../jobs/job-access.ts';
import { resultOf, resultProblems } from '../../jobs/job-result.ts';

export default defineOperation({
  summary: 'Create a link to the result that opens without a token, also in a browser, until it expires.',
  id: 'jobs.createResultLink',
  route: 'POST /jobs/{id}/result-link',
  scope: anyScope,
  request: {
    params: JobParams,
    body: z
      .object({ expiresInSeconds: linkLifetime(7 * 24 * 3_600, 3_600).describe('Ends with the result.') })
      .prefault({}),
  },
  answers: {
    201: {
      description: 'The link. It gives read access to this result only.',
      schema: SignedLinkResource,
      example: {
        url: 'https://portal.example/v2/results/pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11?expires=1769850000&signature=4Zk2Yw',
        expiresAt: '2026-01-31T09:00:00.000Z',
      },
    },
  },
  problems: {
    ...ownJobProblems,
    conflict: resultProblems.conflict,
    gone: resultProblems.gone,
  },
  async handle({ params, body }, call) {
    const { id, resultExpiresAt } = await resultOf(await ownJob(params.id, call), call);
    const latest = Math.floor((resultExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY) / 1_000);
    const expires = Math.min(inSeconds(body.expiresInSeconds), latest);
    if (expires * 1_000 <= Date.now()) throw new ServiceError('gone', 'The result expires within a second.');
    return await signedLinkAnswer({ purpose: 'result-links', id, expires }, `/results/${id}`, call.services);
  },
});
