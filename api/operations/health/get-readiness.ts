import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { requireOps } from '../../plugins/ops-login.ts';
import { verboseReadiness } from './diagnostics.ts';
import { checkReadiness, Readiness } from './readiness.ts';

const contentType = 'application/health+json';

export default defineOperation({
  summary: 'Check readiness: every part with its state; 503 when a required part is down.',
  id: 'health.getReadiness',
  route: 'GET /health/ready',
  scope: null,
  request: {
    query: z.object({
      verbose: z
        .enum(['', 'true', 'false'])
        .transform(text => text !== 'false')
        .meta({ type: 'boolean' })
        .default(false)
        .describe(
          'Adds the checks of `npm run doctor` in this process and the browser checks of the workers, with remediation; cached for 10 seconds. Requires the operator login or a token with the scope `ops`.',
        ),
    }),
  },
  answers: {
    200: { description: 'The service works.', schema: Readiness, contentType },
    503: { description: 'The service cannot work.', schema: Readiness, contentType },
  },
  problems: {
    unauthorized: 'With `verbose`: no operator login and no live token.',
    'insufficient-scope': 'With `verbose`: the token lacks the scope `ops`.',
    'too-many-requests': 'With `verbose`: too many wrong logins.',
  },
  async handle({ query: { verbose } }, { request, services }) {
    if (verbose) await requireOps(request, services);
    const readiness = verbose ? await verboseReadiness(services) : await checkReadiness(services);
    return {
      status: readiness.status === 'fail' ? 503 : 200,
      headers: { 'content-type': contentType },
      body: Buffer.from(JSON.stringify(readiness)),
    };
  },
});
