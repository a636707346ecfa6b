import { z } from 'zod';
import { createEmployeeSnapshots } from '../../../core/db/employee-snapshots.ts';
import { defineOperation } from '../../operation.ts';

/** One a deletion of everything: more there will hardly be. */
const most = 200;

export default defineOperation({
  summary: 'The snapshots of the employee records that were taken before all were deleted, the latest first.',
  id: 'employees.listEmployeeSnapshots',
  method: 'GET',
  path: '/apps/employees/v1/employees/snapshots',
  scope: 'employees:sync',
  request: {},
  answers: {
    200: {
      description: 'The snapshots, without what is in them.',
      schema: z.object({
        items: z.array(
          z.object({
            id: z.uuid(),
            createdAt: z.iso.datetime(),
            expiresAt: z.iso.datetime().describe('It is deleted then.'),
            employees: z.int().describe('Records in it.'),
            jobId: z.string().describe('The job that deleted them.'),
          }),
        ),
        nextCursor: z.null(),
      }),
    },
  },
  async handle(_, { services }) {
    const snapshots = await createEmployeeSnapshots(services.database).list(most);
    const items = snapshots.map(({ createdAt, expiresAt, ...snapshot }) => ({
      ...snapshot,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    }));
    return { status: 200, body: { items, nextCursor: null } };
  },
});
