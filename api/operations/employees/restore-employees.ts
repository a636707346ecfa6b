import { z } from 'zod';
import { createEmployeeSnapshots } from '../../../core/domain/employees/snapshots.ts';
import { invalidInput, ServiceError } from '../../../core/runtime/errors.ts';
import { DryRun } from '../../../core/sync/report.ts';
import job from '../../../workers/employee-resync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import type { ApiServices } from '../../services.ts';

export default defineJobOperation({
  summary:
    'Start a job that restores the employee records from a snapshot: creates missing records and resets changed ones. Other records are not changed.',
  id: 'employees.restoreEmployees',
  route: 'POST /apps/employees/v1/employees/restore',
  scope: 'employees:sync',
  request: {
    body: z.object({
      snapshotId: z
        .uuid('must be the id of a snapshot')
        .optional()
        .describe('From `GET …/employees/snapshots`; absent: the latest.'),
      dryRun: DryRun,
    }),
  },
  job,
  problems: { conflict: 'There is no snapshot.' },
  accept: async ({ body: { snapshotId, dryRun } }, { services }) => ({
    payload: { mode: 'restore' as const, dryRun, snapshotId: await findSnapshot(snapshotId, services) },
  }),
  async validate({ body }, { services }) {
    await findSnapshot(body.snapshotId, services);
    return [];
  },
});

/** @throws ServiceError invalid-input for an unknown id, conflict when there is no snapshot */
async function findSnapshot(id: string | undefined, { database }: ApiServices): Promise<string> {
  const snapshots = createEmployeeSnapshots(database);
  const found = id === undefined ? (await snapshots.list(1))[0] : await snapshots.find(id);
  if (found) return found.id;
  if (id === undefined)
    throw new ServiceError('conflict', 'There is no snapshot: only a deletion of all employees creates one.');
  throw invalidInput(
    [{ pointer: '/snapshotId', detail: 'must be the id of a snapshot' }],
    'There is no such snapshot; it may have expired.',
  );
}
