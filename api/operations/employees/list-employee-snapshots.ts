import { z } from 'zod';
import { createEmployeeSnapshots } from '../../../core/domain/employees/snapshots.ts';
import { defineOperation } from '../../http/operation.ts';

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
      example: {
        items: [
          {
            id: '0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20',
            createdAt: '2026-01-31T08:00:00.000Z',
            expiresAt: '2026-05-01T08:00:00.000Z',
            employees: 412,
            jobId: 'employee-resync_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11',
          },
        ],
        nextCursor: null,
      },
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
