/** Scheduled changes of user states in the identity directory, in requests and answers. */
import { z } from 'zod';
import { type StateJob, TargetState } from '../../../core/integrations/directory/wire.ts';

const idError = 'must be an id of the directory: 24 hexadecimal digits';

export const DirectoryId = z
  .string(idError)
  .regex(/^[0-9a-fA-F]{24}$/, idError)
  .toLowerCase()
  .meta({ examples: ['5f00efc2966f0faecc3be694'] });

export const StateJobResource = z
  .object({ id: z.string(), userId: z.string(), state: TargetState, startDate: z.iso.datetime() })
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

export const stateJobResource = ({ startDate, ...job }: StateJob): z.infer<typeof StateJobResource> => ({
  ...job,
  startDate: startDate.toISOString(),
});
