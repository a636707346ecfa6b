import { Readable } from 'node:stream';
import { z } from 'zod';
import { PlannedChanges, Release } from '../../../core/jobs/record.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { anyScope, defineOperation, ok } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';

export default defineOperation({
  summary: 'Get the complete plan of a held or released job.',
  id: 'jobs.getPlan',
  route: 'GET /jobs/{id}/plan',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: {
      description: 'The plan.',
      schema: z.object({
        plan: z.unknown().describe('As the run continues with it; its format depends on the job kind.'),
        changes: z.array(PlannedChanges).describe('The changes by outcome and reason, with names.'),
        heldAt: z.iso.datetime().describe('When the job was held.'),
        released: Release.nullable().describe('Who released it; null while it is held.'),
      }),
      example: {
        plan: { update: [], create: [{ name: 'Creek Gate', type: 'community', parent: 'Dubai' }] },
        changes: [
          {
            outcome: 'created',
            reason: 'New in the CRM: community.',
            items: [{ key: '4711', name: 'Creek Gate, Dubai' }],
          },
        ],
        heldAt: '2026-01-31T03:00:09.512Z',
        released: null,
      },
    },
  },
  problems: { 'not-found': 'Or the job was never held.' },
  async handle({ params }, call) {
    const job = await seenJob(params.id, call);
    const held = await call.services.records.plan(job.id);
    if (!held) throw new ServiceError('not-found', 'The job has no plan: it was not held.');
    const parts = Readable.from(call.services.records.planParts(job.id, held), { objectMode: false });
    return ok(parts, { 'content-type': 'application/json; charset=utf-8' });
  },
});
