import { defineOperation } from '../../operation.ts';
import { checkReadiness, Readiness } from '../../readiness.ts';

/** Source of the format: draft-inadarei-api-health-check-06. */
export default defineOperation({
  summary: 'Readiness: every part with its state; 503 when one the service cannot work without is down.',
  id: 'health.getReadiness',
  method: 'GET',
  path: '/health/ready',
  scope: null,
  request: {},
  answers: {
    200: { description: 'The service works.', schema: Readiness, contentType: 'application/health+json' },
    503: {
      description: 'The service cannot work.',
      schema: Readiness,
      contentType: 'application/health+json',
    },
  },
  async handle(_, { services }) {
    const readiness = await checkReadiness(services);
    return {
      status: readiness.status === 'fail' ? 503 : 200,
      headers: { 'cache-control': 'no-store', 'content-type': 'application/health+json' },
      body: Buffer.from(JSON.stringify(readiness)),
    };
  },
});
