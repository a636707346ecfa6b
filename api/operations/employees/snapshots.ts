/** Snapshots of all employee records, and their restoration. */
import { z } from 'zod';
import { createEmployeeSnapshots } from '../../../core/domain/employees/snapshots.ts';
import { invalidInput, ServiceError } from '../../../core/runtime/errors.ts';
import { DryRun } from '../../../core/sync/report.ts';
import job from '../../../workers/employee-resync/contract.ts';
import { defineOperation } from '../../http/operation.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import type { ApiServices } from '../../services.ts';

/** Each deletion of all employees creates one, so there are few. */
const maxSnapshots = 200;

const list = defineOperation({
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

const restore = defineJobOperation({
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

export default [list, restore];

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
