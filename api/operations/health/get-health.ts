import { z } from 'zod';
import { defineOperation, ok } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Check that the process answers, and nothing else.',
  id: 'health.get',
  route: 'GET /health',
  scope: null,
  request: {},
  answers: {
    200: {
      description: 'The process answers.',
      schema: z.object({ status: z.literal('pass').describe('The process answers.') }),
    },
  },
  handle: async () => ok({ status: 'pass' }),
});
