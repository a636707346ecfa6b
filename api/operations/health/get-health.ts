import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Liveness: 200 while the process serves; looks at nothing else.',
  id: 'health.get',
  method: 'GET',
  path: '/health',
  scope: null,
  request: {},
  answers: { 200: { description: 'The process serves.', schema: z.object({ status: z.literal('pass') }) } },
  handle: async () => ({ status: 200, headers: { 'cache-control': 'no-store' }, body: { status: 'pass' } }),
});
