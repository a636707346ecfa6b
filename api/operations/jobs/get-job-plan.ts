import { z } from 'zod';
import { Release } from '../../../core/jobs/record.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';

export default defineOperation({
  summary:
    'All that a held job is about to do, or was about to do before it was released. 404 when it never was held.',
  id: 'jobs.getPlan',
  method: 'GET',
  path: '/jobs/{id}/plan',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: {
      description: 'The plan, as the kind of job writes it.',
      schema: z.object({ plan: z.unknown(), heldAt: z.iso.datetime(), released: Release.nullable() }),
      example: {
        plan: { update: [], create: [{ name: 'Creek Gate', type: 'community', parent: 'Dubai' }] },
        heldAt: '2026-01-31T03:00:09.512Z',
        released: null,
      },
    },
  },
  async handle({ params }, call) {
    const job = await seenJob(params.id, call);
    const held = await call.services.records.plan(job.id);
    if (!held) throw new ServiceError('not-found', 'The job has no plan: it was not held.');
    return {
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { ...held, heldAt: held.heldAt.toISOString() },
    };
  },
});
