import { z } from 'zod';
import { createEmployeeSnapshots } from '../../../core/domain/employees/snapshots.ts';
import { defineOperation } from '../../http/operation.ts';

/** Each deletion of all employees creates one, so there are few. */
const maxSnapshots = 200;

export default defineOperation({
  summary: 'List the snapshots of the employee records, newest first. Each was taken before a deletion of all records.',
  id: 'employees.listEmployeeSnapshots',
  route: 'GET /apps/employees/v1/employees/snapshots',
  scope: 'employees:sync',
  request: {},
  answers: {
    200: {
      description: 'The snapshots, without their content.',
      schema: z.object({
        items: z
          .array(
            z.object({
              id: z.uuid().describe('The snapshot’s id.'),
              createdAt: z.iso.datetime().describe('When it was taken.'),
              expiresAt: z.iso.datetime().describe('The snapshot is deleted at this time.'),
              employees: z.int().describe('Number of records in it.'),
              jobId: z.string().describe('The job that deleted the records.'),
            }),
          )
          .describe('The snapshots, newest first.'),
        nextCursor: z.null().describe('All snapshots are on one page.'),
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
    const snapshots = await createEmployeeSnapshots(services.database).list(maxSnapshots);
    const items = snapshots.map(({ createdAt, expiresAt, ...snapshot }) => ({
      ...snapshot,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    }));
    return { status: 200, body: { items, nextCursor: null } };
  },
});
