import { z } from 'zod';
import directorySystem from '../../../core/integrations/directory/system.ts';
import { TargetState } from '../../../core/integrations/directory/wire.ts';
import { invalidInput, ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { DirectoryId } from './directory-id.ts';
import { StateJobResource } from './state-job-resource.ts';

const listError = 'must be a list of 1 to 100 ids';

const NewStateJobs = z
  .object({
    userIds: z
      .array(DirectoryId, listError)
      .min(1, listError)
      .max(100, listError)
      .describe('Users of the identity directory; duplicates are ignored.'),
    state: TargetState.describe('The new state; SUSPENDED also ends the users’ sessions.'),
    startDate: z.iso.datetime({ offset: true }).describe('Time of the change, in the future.'),
  })
  .meta({
    examples: [{ userIds: ['5f00efc2966f0faecc3be694'], state: 'SUSPENDED', startDate: '2030-02-28T20:00:00Z' }],
  });

export default defineOperation({
  summary: 'Schedule a change of users’ states, one job per user. Returns the existing job if an equal one is pending.',
  id: 'directory.createStateJobs',
  route: 'POST /apps/directory/v1/user-state-jobs',
  scope: 'directory:write',
  idempotent: true,
  request: { body: NewStateJobs },
  answers: {
    201: {
      description: 'The jobs, in the order of the users.',
      schema: z.object({ items: z.array(StateJobResource).describe('The jobs.') }),
    },
  },
  calls: [directorySystem],
  async handle({ body }, { services }) {
    const startDate = new Date(body.startDate);
    if (startDate.getTime() <= Date.now())
      throw invalidInput([{ pointer: '/startDate', detail: 'must be in the future' }]);
    const userIds = [...new Set(body.userIds)];
    const directory = directorySystem.client(services.systems);
    const jobs = await directory.scheduleState({ userIds, state: body.state, startDate }).catch(error => {
      throw withRequestPointers(error, userIds, body.userIds);
    });
    return { status: 201, body: { items: jobs } };
  },
});

/** Maps pointers into the distinct ids to pointers into the request's list, which may have duplicates. */
function withRequestPointers(error: unknown, distinct: readonly string[], given: readonly string[]): unknown {
  if (!(error instanceof ServiceError) || error.faults.length === 0) return error;
  const faults = error.faults.map(fault => {
    const id = distinct[Number(fault.pointer.split('/').at(-1))];
    return { ...fault, pointer: `/userIds/${id === undefined ? 0 : given.indexOf(id)}` };
  });
  return new ServiceError(error.code, error.message, { faults });
}
