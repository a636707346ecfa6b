import { z } from 'zod';
import directorySystem from '../../../core/integrations/directory/system.ts';
import { TargetState } from '../../../core/integrations/directory/wire.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { DirectoryId, StateJobResource, stateJobResource } from './directory-resource.ts';

const listError = 'must be a list of 1 to 100 ids';

const NewStateJobs = z
  .object({
    userIds: z
      .array(DirectoryId, listError)
      .min(1, listError)
      .max(100, listError)
      .describe('Users of the identity directory; one that is named twice counts once.'),
    state: TargetState.describe('What they are to be: SUSPENDED also ends their sessions.'),
    startDate: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 time, such as 2026-01-31T08:00:00Z' })
      .describe('When; in the future.'),
  })
  .meta({
    examples: [
      { userIds: ['5f00efc2966f0faecc3be694'], state: 'SUSPENDED', startDate: '2030-02-28T20:00:00Z' },
    ],
  });

export default defineOperation({
  summary:
    'Schedule a change of users’ state: one job a user. A job that equals one that waits already is not made again, ' +
    'but answered.',
  id: 'directory.createStateJobs',
  method: 'POST',
  path: '/apps/directory/v1/user-state-jobs',
  scope: 'directory:write',
  idempotent: true,
  request: { body: NewStateJobs },
  answers: {
    201: {
      description: 'The jobs, in the order of the users.',
      schema: z.object({ items: z.array(StateJobResource) }),
    },
  },
  async handle({ body }, { services }) {
    const startDate = new Date(body.startDate);
    if (startDate.getTime() <= Date.now()) throw notInTheFuture();
    const userIds = [...new Set(body.userIds)];
    const directory = directorySystem.client(services.systems);
    const jobs = await directory.scheduleState({ userIds, state: body.state, startDate }).catch(error => {
      throw atTheirPlace(error, userIds, body.userIds);
    });
    return {
      status: 201,
      headers: { 'cache-control': 'no-store' },
      body: { items: jobs.map(stateJobResource) },
    };
  },
});

const notInTheFuture = (): ServiceError =>
  new ServiceError('invalid-input', 'The input has one fault.', {
    faults: [{ pointer: '/startDate', detail: 'must be in the future' }],
  });

/** Faults of users, told where the caller named them, who may have named some twice. */
function atTheirPlace(error: unknown, distinct: readonly string[], given: readonly string[]): unknown {
  if (!(error instanceof ServiceError) || error.faults.length === 0) return error;
  const faults = error.faults.map(fault => {
    const id = distinct[Number(fault.pointer.split('/').at(-1))];
    return { ...fault, pointer: `/userIds/${id === undefined ? 0 : given.indexOf(id)}` };
  });
  return new ServiceError(error.code, error.message, { faults });
}
