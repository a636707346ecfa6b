/** A scheduled change of a user’s state, in answers. */
import { z } from 'zod';
import { TargetState } from '../../../core/integrations/directory/wire.ts';

export const StateJobResource = z
  .object({
    id: z.string().describe('The job’s id in the directory.'),
    userId: z.string().describe('The user.'),
    state: TargetState.describe('The new state.'),
    startDate: z.iso.datetime().describe('Time of the change.'),
  })
  .meta({
    id: 'UserStateJob',
    examples: [
      {
        id: '62d2790880c9ac321551cd77',
        userId: '5f00efc2966f0faecc3be694',
        state: 'SUSPENDED',
        startDate: '2026-02-28T20:00:00.000Z',
      },
    ],
  });
