import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { requireOps } from '../../plugins/ops-login.ts';
import { checkReadiness, examineReadiness, Readiness } from './readiness.ts';

/** Source of the format: draft-inadarei-api-health-check-06. */
export default defineOperation({
  summary: 'Readiness: every part with its state; 503 when one the service cannot work without is down.',
  id: 'health.getReadiness',
  method: 'GET',
  path: '/health/ready',
  scope: null,
  request: {
    query: z.object({
      verbose: z
        .enum(['', 'true', 'false'], { error: 'must be true or false' })
        .optional()
        .describe(
          'Also what `npm run doctor` finds of each part from here, and the workers of their browsers, with how to mend it; looked at anew every 10 seconds at most. For the ops login, and tokens with the scope `ops`.',
        ),
    }),
  },
  answers: {
    200: { description: 'The service works.', schema: Readiness, contentType: 'application/health+json' },
    503: {
      description: 'The service cannot work.',
      schema: Readiness,
      contentType: 'application/health+json',
    },
  },
  async handle({ query: { verbose = 'false' } }, { request, services }) {
    const isVerbose = verbose !== 'false';
    if (isVerbose) await requireOps(request, services);
    const readiness = isVerbose ? await examineReadiness(services) : await checkReadiness(services);
    return {
      status: readiness.status === 'fail' ? 503 : 200,
      headers: { 'cache-control': 'no-store', 'content-type': 'application/health+json' },
      body: Buffer.from(JSON.stringify(readiness)),
    };
  },
});
