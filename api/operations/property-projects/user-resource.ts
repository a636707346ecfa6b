/** Users of the property-project system in requests. */
import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { ReferenceId } from './reference-query.ts';

export const UserParams = z.object({
  id: ReferenceId.describe('The user’s id in the property-project system.').meta({ examples: ['31'] }),
});

export const userNotFound = (): ServiceError =>
  new ServiceError('not-found', 'The property-project system has no such user.');
