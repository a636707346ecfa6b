import { z } from 'zod';
import { createEmployeeSnapshots } from '../../../core/domain/employees/snapshots.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import job from '../../../workers/employee-resync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import type { ApiServices } from '../../services.ts';
import { dryRunField } from './employee-sync.ts';

export default defineJobOperation({
  summary:
    'Put the employee records back as a snapshot has them: missing ones are created, changed ones changed back, others left alone.',
  id: 'employees.restoreEmployees',
  method: 'POST',
  path: '/apps/employees/v1/employees/restore',
  scope: 'employees:sync',
  request: {
    body: z
      .object({
        snapshotId: z
          .uuid('must be the id of a snapshot')
          .optional()
          .describe('One of `GET …/employees/snapshots`; absent: the latest.'),
        dryRun: dryRunField,
      })
      .prefault({}),
  },
  job,
  accept: async ({ body: { snapshotId, dryRun } }, { services }) => ({
    payload: {
      mode: 'restore' as const,
      dryRun,
      snapshotId: await snapshotToRestore(snapshotId, services),
    },
  }),
  async validate({ body }, { services }) {
    await snapshotToRestore(body.snapshotId, services);
    return [];
  },
});

/** @throws ServiceError invalid-input when it is not there, conflict when there is none at all */
async function snapshotToRestore(id: string | undefined, { database }: ApiServices): Promise<string> {
  const snapshots = createEmployeeSnapshots(database);
  const found = id === undefined ? (await snapshots.list(1))[0] : await snapshots.find(id);
  if (found) return found.id;
  if (id === undefined)
    throw new ServiceError('conflict', 'There is no snapshot: one is taken when all employees are deleted.');
  throw new ServiceError('invalid-input', 'There is no such snapshot; it may have expired.', {
    faults: [{ pointer: '/snapshotId', detail: 'must be the id of a snapshot' }],
  });
}
