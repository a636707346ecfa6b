/** What the operations on one user of the property-project system share. */
import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';

const idError = 'must be an id of 1 to 64 letters, digits, hyphens or underscores';

export const ProjectUserParams = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, idError)
    .describe('The user’s id in the property-project system.')
    .meta({ examples: ['31'] }),
});

export const noSuchProjectUser = (): ServiceError =>
  new ServiceError('not-found', 'The property-project system has no such user.');
